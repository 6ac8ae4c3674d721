/** Describes a route's path, query and header parameters for OpenAPI. */

import type { Schema } from '../../domain/jsonSchema.ts'
import { keyKnownMs, keysKnownMax } from '../../state/folding/rememberedCommands.ts'
import { getParameterForm } from '../request/pathParameters.ts'
import type { Route } from '../request/route.ts'

const hourMs = 60 * 60 * 1_000

export function describeParameters(
  { ids, query, kind, entity, headers = [] }: Route,
  examples: Readonly<Record<string, string>> = {},
): readonly object[] {
  const ofPath = Object.entries(ids).map(([name, parameter]) => {
    const { description, schema } = getParameterForm(parameter)
    return {
      name,
      in: 'path',
      required: true,
      description,
      schema,
      ...buildExample(examples[name]),
    }
  })
  const ofQuery = query.parameters.map(({ name, description, schema, required = false }) => ({
    required,
    name,
    description,
    schema,
    in: 'query',
    ...buildExample(examples[name], schema),
  }))
  return [
    ...ofPath,
    ...ofQuery,
    ...headers.map((own) => ({ required: false, ...own, in: 'header' })),
    ...(kind === 'write' ? [idempotencyKey] : []),
    ...(kind === 'read' && entity === 'tagged' ? [ifNoneMatch] : []),
    ...(entity === 'guarded' || entity === 'both' ? [ifMatch] : []),
  ]
}

const buildHeader = (name: string, description: string, bounds: Schema = {}) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string', ...bounds },
})

const ifMatch = buildHeader('If-Match', 'Expected ETag, or *; on a mismatch the answer is 412.')

const ifNoneMatch = buildHeader(
  'If-None-Match',
  'An ETag; the answer is 304 without a body when it is still current.',
)

const keyDescription =
  `A request repeated with the same key is carried out once and answered as before. With another body it is refused
(422 idempotency_key_reused). A key applies to this operation and path only. Keys of evaluations, batches of feedback or events, and opened accounts are known for ever; others
for ${keyKnownMs / hourMs} hours, and while among the last ${keysKnownMax} of their kind in the account (rulebook, access and tokens, sender IDs, templates). After that the key counts as new.`.replaceAll(
    '\n',
    ' ',
  )

const idempotencyKey = buildHeader('Idempotency-Key', keyDescription, {
  minLength: 1,
  maxLength: 255,
})

function buildExample(text: string | undefined, { type }: Schema = {}): object {
  if (text === undefined) return {}
  return { example: type === 'integer' ? Number(text) : text }
}
