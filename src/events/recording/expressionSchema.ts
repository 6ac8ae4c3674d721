/** The JSON Schema of a rule's normalised expression. */

import type { JsonSchema } from './schema.ts'
import { list, object, oneOf, text, tuple, word } from './schema.ts'

/** An expression, by the name under which the catalogue registers `expressionSchema`: a node holds nodes. */
export const expression: JsonSchema = { $ref: 'expression' }
const at = tuple({ type: 'integer', minimum: 1 }, { type: 'integer', minimum: 1 })
const kind = (name: string): JsonSchema => ({ type: 'string', const: name })

export const expressionSchema: JsonSchema = {
  $id: 'expression',
  type: 'object',
  discriminator: { propertyName: 'kind' },
  oneOf: [
    object({
      kind: kind('literal'),
      type: oneOf(['bool', 'int', 'double', 'string', 'timestamp', 'duration']),
      value: { type: ['string', 'number', 'boolean'] },
      at,
    }),
    object({ kind: kind('list'), items: list(expression), at }),
    object(
      { kind: kind('read'), name: word, at },
      { convert: oneOf(['bool', 'int', 'double', 'timestamp', 'duration']) },
    ),
    object({ kind: kind('has'), name: word, at }),
    object({ kind: kind('variable'), name: text, at }),
    object({ kind: kind('call'), operator: word, args: list(expression), at }),
    loop('exists'),
    loop('all'),
  ],
}

function loop(name: 'exists' | 'all'): JsonSchema {
  return object({ kind: kind(name), variable: text, list: expression, body: expression, at })
}
