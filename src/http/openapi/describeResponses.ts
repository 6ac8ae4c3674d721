/** Describes a route's responses for OpenAPI: content of successes and failures, and headers. */

import { Failure, type FailureCode } from '../../domain/failure.ts'
import type { Schema } from '../../domain/jsonSchema.ts'
import { type ErrorBodies, errorBodies } from '../request/errorBodies.ts'
import { getParameterForm } from '../request/pathParameters.ts'
import type { AnswerDescription, Route } from '../request/route.ts'
import { describeAdmission } from './describeAdmission.ts'
import type { ComponentCollector } from './openapiComponents.ts'
import type { OperationExample } from './openapiExamples.ts'

export interface DescribedRoute {
  readonly route: Route
  readonly example: OperationExample | undefined
}

/** The responses of the route by status: its own, and those of the middleware before it. */
export function describeResponses(
  described: DescribedRoute,
  components: ComponentCollector,
): object {
  return { ...describeFailures(described, components), ...describeAnswers(described, components) }
}

function describeAnswers(
  { route, example }: DescribedRoute,
  components: ComponentCollector,
): object {
  const { answers, kind, entity } = route
  const headers = {
    ...baseHeaders,
    ...(kind !== 'plain' && positionHeaders[kind]),
    ...((entity === 'tagged' || entity === 'both') && tagHeader),
  }
  const contents = (status: string, facts: AnswerDescription): object => {
    const { schema, contentType, otherTypes = {} } = facts
    if (!schema) return {}
    const shown = example?.status === Number(status) ? example.answer : undefined
    const others = Object.entries(otherTypes).map(([type, text]) =>
      describeContent({ schema: { type: 'string' }, contentType: type, example: text }, components),
    )
    const content = describeContent({ schema, contentType, example: shown }, components)
    return { content: Object.assign(content, ...others) }
  }
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]: [string, AnswerDescription]) => [
      status,
      {
        description: answer.description,
        headers: { ...headers, ...describeHeaders(answer) },
        ...contents(status, answer),
      },
    ]),
  )
}

function describeHeaders({ headers = {} }: AnswerDescription): object {
  const described = Object.entries(headers).map(([name, words]) => [name, textHeader(words)])
  return Object.fromEntries(described)
}

/** The failures of every route of this kind, joined with the route's own, by status. */
function describeFailures(
  { route, example }: DescribedRoute,
  components: ComponentCollector,
): object {
  // every route refuses parameters that it does not know
  const codes: FailureCode[] = [...route.failures, 'invalid_request', 'internal', 'unavailable']
  codes.push(...describeAdmission(route.admits).failures)
  // there may be no application of this host
  if (route.host === 'session') codes.push('not_found')
  codes.push(...Object.values(route.ids).map((id) => getParameterForm(id).notFound().code))
  if (route.entity === 'guarded' || route.entity === 'both') codes.push('precondition_failed')
  if (route.kind === 'write') codes.push('idempotency_key_reused')
  if (route.body.schema || route.body.contentTypes) {
    codes.push('payload_too_large', 'unsupported_media_type', 'request_timeout')
  }
  const byStatus = new Map<number, Set<FailureCode>>()
  for (const code of codes) {
    const { status } = new Failure(code, '')
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code))
  }
  const family = errorBodies[route.errors]
  return Object.fromEntries(
    [...byStatus].map(([status, known]) => [
      status,
      {
        description: listCodeNames(family, known).join(', '),
        headers: {
          ...baseHeaders,
          ...(status in retryHeaders && retryHeaders[status]),
          ...(known.has('use_dpop_nonce') && nonceHeader),
        },
        content: describeContent(
          { schema: narrowCodes(family, known), example: example?.refusals?.[status] },
          components,
        ),
      },
    ]),
  )
}

/** The error object, with the codes it can have here. */
function narrowCodes(family: ErrorBodies, codes: ReadonlySet<FailureCode>): Schema {
  return {
    allOf: [family.schema, { properties: { code: { enum: listCodeNames(family, codes) } } }],
  }
}

/** The names of the failures in these error bodies, without duplicates. */
function listCodeNames(
  { codeOf }: ErrorBodies,
  codes: ReadonlySet<FailureCode>,
): readonly string[] {
  return [...new Set([...codes].map(codeOf))]
}

const textHeader = (description: string) => ({ description, schema: { type: 'string' } })
const numberHeader = (description: string) => ({ description, schema: { type: 'integer' } })

const retryAfter = {
  'Retry-After': numberHeader('Seconds after which to retry, where a retry can help.'),
}

const retryHeaders: Readonly<Record<number, object>> = {
  429: {
    ...retryAfter,
    'RateLimit-Policy': textHeader('`q` requests of a token are available after `w` seconds.'),
    RateLimit: textHeader('`r` requests are available now; no more within `t` seconds.'),
  },
  503: retryAfter,
}

const nonceHeader = {
  'DPoP-Nonce': textHeader('With use_dpop_nonce: what the proof has to carry.'),
}

const baseHeaders = { 'X-Request-Id': textHeader('Id of the request.') }

const tagHeader = { ETag: textHeader('Changes whenever the response changes.') }

const positionHeaders = {
  write: {
    'X-Vigil-Position': numberHeader('Log position of the write.'),
    'X-Vigil-Visible': textHeader('false when reads may not show it yet; absent otherwise.'),
  },
  read: {
    'X-Vigil-Position': numberHeader('Log position that the answer includes.'),
  },
}

interface Content {
  readonly schema: Schema
  /** JSON unless given. */
  readonly contentType?: string | undefined
  /** Left out when there is none. */
  readonly example?: unknown
}

/** The body under its media type. */
export function describeContent(
  { schema, contentType = 'application/json', example }: Content,
  components: ComponentCollector,
): object {
  const type = contentType.split(';', 1)[0] ?? contentType
  return {
    [type]: {
      schema: components.replaceWithReferences(schema),
      ...(example !== undefined && { example }),
    },
  }
}
