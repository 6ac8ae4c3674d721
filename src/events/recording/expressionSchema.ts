/** Declares the JSON Schema of a rule's expression tree, and a reference to it. */

import { asSchemaOf, type Schema, type SchemaOf } from '../../domain/jsonSchema.ts'
import { type Expression, type Position, valueTypes } from '../../engine/language/expression.ts'
import {
  integerFrom,
  list,
  nonEmptyString,
  object,
  oneOf,
  scalar,
  text,
  tuple,
} from './eventSchema.ts'

/** An expression, by the name under which the catalogue registers `expressionSchema`: a node holds nodes. */
export const expressionReference = asSchemaOf<Expression>({ $ref: 'expression' })
const at: SchemaOf<Position> = tuple(integerFrom(1), integerFrom(1))
const kind = <Name extends string>(name: Name) => asSchemaOf<Name>({ type: 'string', const: name })
const loop = <Name extends string>(name: Name) =>
  object({
    kind: kind(name),
    variable: text,
    list: expressionReference,
    body: expressionReference,
    at,
  })

/** A schema for every kind of node. */
const nodes: {
  readonly [Kind in Expression['kind']]: SchemaOf<NodeOf<Kind>>
} = {
  literal: object({ kind: kind('literal'), type: oneOf(valueTypes), value: scalar, at }),
  list: object({ kind: kind('list'), items: list(expressionReference), at }),
  read: object(
    { kind: kind('read'), name: nonEmptyString, at },
    { convert: oneOf(['bool', 'int', 'double', 'timestamp', 'duration']) },
  ),
  has: object({ kind: kind('has'), name: nonEmptyString, at }),
  variable: object({ kind: kind('variable'), name: text, at }),
  call: object({
    kind: kind('call'),
    operator: nonEmptyString,
    args: list(expressionReference),
    at,
  }),
  exists: loop('exists'),
  all: loop('all'),
}

/** The node of a kind, of a type that may be that of several kinds. */
type NodeOf<Kind extends Expression['kind']> = Expression extends infer Node
  ? Node extends { readonly kind: infer Kinds }
    ? Kind extends Kinds
      ? Omit<Node, 'kind'> & { readonly kind: Kind }
      : never
    : never
  : never

export const expressionSchema: Schema = {
  $id: 'expression',
  type: 'object',
  discriminator: { propertyName: 'kind' },
  oneOf: Object.values(nodes),
}
