/** The parameters of a route, in the path, the query and the headers. */

import type { Route } from '../request/route.ts'
import type { Schema } from '../request/schema.ts'

/** Every parameter that the route reads. */
export function parametersOf(
  { ids, query, kind, entity }: Route,
  examples: Readonly<Record<string, string>> = {},
): readonly object[] {
  const ofPath = Object.entries(ids).map(([name, prefix]) => ({
    name,
    in: 'path',
    required: true,
    description: prefix === 'name' ? 'A name.' : `An id with the prefix ${prefix}_.`,
    schema: { type: 'string' },
    ...exampleOf(examples[name]),
  }))
  const ofQuery = query.map((parameter) => ({
    required: false,
    ...parameter,
    in: 'query',
    ...exampleOf(examples[parameter.name], parameter.schema),
  }))
  return [
    ...ofPath,
    ...ofQuery,
    ...(kind === 'write' ? [idempotencyKey] : []),
    ...(kind === 'read' && entity === 'tagged' ? [ifNoneMatch] : []),
    ...(entity === 'guarded' || entity === 'both' ? [ifMatch] : []),
  ]
}

const ifMatch = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The ETag of what is to be changed, or *; when it is another by now, the answer is 412.',
  schema: { type: 'string' },
}

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description:
    'An ETag; when it still is what would be answered, the answer is 304 without a body.',
  schema: { type: 'string' },
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Names the command: sent again under the same key, it is done once.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

function exampleOf(text: string | undefined, { type }: Schema = {}): object {
  if (text === undefined) return {}
  return { example: type === 'integer' ? Number(text) : text }
}
