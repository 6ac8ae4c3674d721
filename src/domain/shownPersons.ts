/** Seals what is of persons in answers to callers that may not read it. */

import { asSchemaOf, openObject, type Schema, type TypeOf } from './jsonSchema.ts'
import type { Principal, Scope } from './principal.ts'

const sealedSchema = openObject(
  'Sealed',
  { sealed: { const: true } },
  {
    description:
      'In place of what is of a person, for a token that reads by the scope audit alone.',
  },
)
type Sealed = TypeOf<typeof sealedSchema>

const sealed: Sealed = { sealed: true }

/** The schema of what is of a person. */
export function personal<const Of extends Schema>(schema: Of) {
  return asSchemaOf<TypeOf<Of> | Sealed>({ anyOf: [schema, sealedSchema] })
}

/** Whether the caller reads persons in clear: with `analyse`, or the scope by which their data is managed, and not with `audit` alone. */
export function opensPersons(principal: Principal, managing?: Scope): boolean {
  if (principal.kind !== 'account') return true
  return principal.scopes.some((scope) => scope === 'analyse' || scope === managing)
}

/** The object with these fields sealed, as far as it has them. */
export function sealFields<Of extends object>(of: Of, fields: readonly (keyof Of)[]): Of {
  const present = fields.filter((field) => of[field] !== undefined)
  return { ...of, ...Object.fromEntries(present.map((field) => [field, sealed])) }
}

/** The tree with everything sealed that stands in it as a `value`. */
export function sealValues<Tree>(tree: Tree): Tree {
  const seal = (key: string, value: unknown): unknown => (key === 'value' ? sealed : value)
  return JSON.parse(JSON.stringify(tree, seal)) as Tree
}
