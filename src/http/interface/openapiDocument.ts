/** Builds the OpenAPI document from the routes and the schemas that they check with. */

import { Failure, type FailureCode } from '../../domain/failure.ts'
import { scopes } from '../../domain/principal.ts'
import { errorFamilyOf } from '../request/errorFamily.ts'
import type { Admission, AnswerFacts, Route } from '../request/route.ts'
import type { Schema } from '../request/schema.ts'

/** The OpenAPI 3.1 document of the routes: every answer they can give, the refusals of the door included. */
export function openapiDocument(routes: readonly Route[]): object {
  const components = new Map<string, unknown>()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const operations = paths[route.path] ?? {}
    operations[route.method.toLowerCase()] = operationOf(route, components)
    paths[route.path] = operations
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Vigil API', version: '2.0.0' },
    paths,
    components: {
      securitySchemes,
      schemas: Object.fromEntries(components),
    },
  }
}

const securitySchemes = {
  apiToken: {
    type: 'http',
    scheme: 'bearer',
    description: `An API token of an account, as the operator issues it. It carries one or more of the scopes ${scopes.join(', ')}; each operation says which it needs. audit reads everything of its account and writes nothing.`,
  },
  operatorToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of the operator of the installation (VIGIL_OPERATOR_TOKEN).',
  },
}

type Components = Map<string, unknown>

function operationOf(route: Route, components: Components): object {
  const { operationId, summary, tag, admits, bodySchema } = route
  return {
    operationId,
    summary,
    description: admissionSentence(admits),
    tags: [tag],
    security: securityOf(admits),
    parameters: parametersOf(route),
    ...(bodySchema && {
      requestBody: { required: true, content: contentOf(bodySchema, components) },
    }),
    responses: { ...failuresOf(route, components), ...answersOf(route, components) },
  }
}

function admissionSentence(admits: Admission): string {
  if (admits === 'anyone') return 'Open to anyone.'
  const { scopes, operator } = admits
  const tokens = [
    ...(operator ? ['the operator token'] : []),
    ...(scopes.length > 0 ? [`API tokens with the scope ${scopes.join(' or ')}`] : []),
  ]
  return `For ${tokens.join(', and for ')}.`
}

/** Each entry is one way in; the scopes stand as roles of a bearer token (OpenAPI 3.1, security requirement object). */
function securityOf(admits: Admission): readonly object[] {
  if (admits === 'anyone') return []
  const { scopes, operator } = admits
  return [
    ...(operator ? [{ operatorToken: [] }] : []),
    ...scopes.map((scope) => ({ apiToken: [scope] })),
  ]
}

function parametersOf({ ids, query, kind, entity }: Route): readonly object[] {
  const ofPath = Object.entries(ids).map(([name, prefix]) => ({
    name,
    in: 'path',
    required: true,
    description: prefix === 'name' ? 'A name.' : `An id with the prefix ${prefix}_.`,
    schema: { type: 'string' },
  }))
  const ofQuery = query.map((parameter) => ({ ...parameter, in: 'query', required: false }))
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

function answersOf({ answers, kind, entity }: Route, components: Components): object {
  const headers = {
    ...baseHeaders,
    ...(kind !== 'plain' && positionHeaders[kind]),
    ...((entity === 'tagged' || entity === 'both') && tagHeader),
  }
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]: [string, AnswerFacts]) => [
      status,
      {
        description: answer.description,
        headers,
        ...(answer.schema && { content: contentOf(answer.schema, components, answer.contentType) }),
      },
    ]),
  )
}

/** The failures of every route of this kind, joined with the route's own, by status. */
function failuresOf(route: Route, components: Components): object {
  // every route refuses parameters that it does not know
  const codes: FailureCode[] = [...route.failures, 'invalid_request', 'internal', 'unavailable']
  if (route.admits !== 'anyone') {
    codes.push('missing_api_token', 'invalid_api_token', 'insufficient_scope', 'rate_limited')
  }
  if (Object.keys(route.ids).length > 0) codes.push('not_found')
  if (route.entity === 'guarded' || route.entity === 'both') codes.push('precondition_failed')
  if (route.kind === 'write') codes.push('idempotency_key_reused')
  if (route.bodySchema) {
    codes.push('payload_too_large', 'unsupported_media_type', 'request_timeout')
  }
  const byStatus = new Map<number, Set<FailureCode>>()
  for (const code of codes) {
    const { status } = new Failure(code, '')
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code))
  }
  const { schema } = errorFamilyOf(route.path)
  return Object.fromEntries(
    [...byStatus].map(([status, known]) => [
      status,
      {
        description: [...known].join(', '),
        headers: { ...baseHeaders, ...(status in retryHeaders && retryHeaders[status]) },
        content: contentOf(withCodes(schema, [...known]), components),
      },
    ]),
  )
}

/** The error object, with the codes it can have here. */
function withCodes(schema: Schema, codes: readonly FailureCode[]): Schema {
  return { allOf: [schema, { properties: { code: { enum: codes } } }] }
}

const retryAfter = {
  'Retry-After': {
    description: 'Seconds after which trying again makes sense, where it does.',
    schema: { type: 'integer' },
  },
}

const textHeader = (description: string) => ({ description, schema: { type: 'string' } })

const retryHeaders: Readonly<Record<number, object>> = {
  429: {
    ...retryAfter,
    'RateLimit-Policy': textHeader('`q` requests of a token are available after `w` seconds.'),
    RateLimit: textHeader('`r` requests are available now; no more within `t` seconds.'),
  },
  503: retryAfter,
}

const baseHeaders = {
  'X-Request-Id': { description: 'Identifies the request.', schema: { type: 'string' } },
}

const tagHeader = {
  ETag: {
    description: 'Changes whenever what is answered changes.',
    schema: { type: 'string' },
  },
}

const positionHeaders = {
  write: {
    'X-Vigil-Position': {
      description: 'The position of what was written.',
      schema: { type: 'integer' },
    },
    'X-Vigil-Visible': {
      description: 'false when reads may not show it yet; absent otherwise.',
      schema: { type: 'string' },
    },
  },
  read: {
    'X-Vigil-Position': {
      description: 'Up to where the answer knows the log.',
      schema: { type: 'integer' },
    },
  },
}

function contentOf(schema: Schema, components: Components, type = 'application/json'): object {
  return { [type.split(';', 1)[0] ?? type]: { schema: referenced(schema, components) } }
}

/** The schema with every titled part moved to the components. */
function referenced(value: unknown, components: Components): unknown {
  if (Array.isArray(value)) return value.map((entry) => referenced(entry, components))
  if (typeof value !== 'object' || value === null) return value
  const copy = () =>
    Object.fromEntries(
      Object.entries(value).map(([key, part]) => [key, referenced(part, components)]),
    )
  const title = 'title' in value ? value.title : undefined
  if (typeof title !== 'string') return copy()
  if (!components.has(title)) components.set(title, copy())
  return { $ref: `#/components/schemas/${title}` }
}
