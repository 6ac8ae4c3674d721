/** Describes a route's path, query and header parameters for OpenAPI. */

import { keyKnownMs, keysKnownMax } from '../../commands/handling/rememberedCommands.ts'
import type { Schema } from '../../domain/schema.ts'
import type { PathParameter, Route } from '../request/route.ts'

const hourMs = 60 * 60 * 1_000

/** Every parameter that the route reads. */
export function parametersOf(
  { ids, query, kind, entity, headers = [] }: Route,
  examples: Readonly<Record<string, string>> = {},
): readonly object[] {
  const ofPath = Object.entries(ids).map(([name, prefix]) => ({
    name,
    in: 'path',
    required: true,
    ...wordsOn(prefix),
    ...exampleOf(examples[name]),
  }))
  const ofQuery = query.map(({ name, description, schema, required = false }) => ({
    required,
    name,
    description,
    schema,
    in: 'query',
    ...exampleOf(examples[name], schema),
  }))
  return [
    ...ofPath,
    ...ofQuery,
    ...headers.map((header) => ({ required: false, ...header, in: 'header' })),
    ...(kind === 'write' ? [idempotencyKey] : []),
    ...(kind === 'read' && entity === 'tagged' ? [ifNoneMatch] : []),
    ...(entity === 'guarded' || entity === 'both' ? [ifMatch] : []),
  ]
}

function wordsOn(parameter: PathParameter) {
  if (typeof parameter !== 'string') {
    const description = `One of ${parameter.join(', ')}.`
    return { description, schema: { type: 'string', enum: parameter } }
  }
  if (parameter === 'app') {
    const description = 'The id of an application: 7 lower-case letters and digits.'
    return { description, schema: { type: 'string' } }
  }
  if (parameter === 'kid') {
    return { description: 'The id of a signing key.', schema: { type: 'string' } }
  }
  const description = parameter === 'name' ? 'A name.' : `An id with the prefix ${parameter}_.`
  return { description, schema: { type: 'string' } }
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

const keyDescription =
  `Names the command: sent again under the same key, it is done once and answered as it was then. With another body it is
refused (422 idempotency_key_reused). A key is of this operation and of what the path names: under the same key another operation is another command. The key of an evaluation, of a batch of feedback or events, and of an account that is opened, is known for ever; every other one
for ${keyKnownMs / hourMs} hours, and while it is among the last ${keysKnownMax} of its account: of its rulebook, of its access and tokens, of its sender IDs, and of its templates. One that
is not known any more names a new command, which is carried out on what there is by then.`.replaceAll(
    '\n',
    ' ',
  )

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: keyDescription,
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

function exampleOf(text: string | undefined, { type }: Schema = {}): object {
  if (text === undefined) return {}
  return { example: type === 'integer' ? Number(text) : text }
}
