/** Declares and builds the error bodies of each API: main, session and migration (spec 7). */

import type { Failure, FailureCode, FailureDetail } from '../../domain/failure.ts'
import { openObject, optional, type Schema, text } from '../../domain/jsonSchema.ts'

const buildPositionField = (description: string) =>
  optional({ type: 'integer', minimum: 1, description })

const errorDetail = openObject('ErrorDetail', {
  path: { type: 'string', description: 'The offending field; empty for the body as a whole.' },
  message: text,
  line: buildPositionField("Line of a mistake in the rule's text, from 1."),
  column: buildPositionField('The character of the line with which the mistake begins, from 1.'),
  length: buildPositionField('Length of the mistake in characters.'),
})

export interface ErrorBodies {
  readonly schema: Schema
  /** What the failure is called here. */
  readonly codeOf: (code: FailureCode) => string
  /** The body that answers the failure. */
  readonly body: (failure: Failure, requestId: string) => object
}

/** The object of spec 7.1. */
const main: ErrorBodies = {
  schema: openObject('Error', {
    code: text,
    message: text,
    type: text,
    request_id: optional(text),
    param: optional(text),
    details: optional({ type: 'array', items: errorDetail }),
  }),
  codeOf: (code) => code,
  body: ({ code, message, type, param, details }, requestId) => ({
    code,
    message,
    type,
    request_id: requestId,
    ...(param !== undefined && { param }),
    ...(details && { details: details.slice(0, detailsMax).map(truncateDetail) }),
  }),
}

/** What failures of the main API are called on the hosts of applications; all others keep their name. */
const sessionCodes: Readonly<Partial<Record<FailureCode, string>>> = {
  invalid_request: 'bad_request',
  app_not_found: 'not_found',
  missing_api_token: 'unauthorized',
  invalid_api_token: 'unauthorized',
}

/** The object of spec 7.2. Whatever is wrong with a token, the answer has the same bytes. */
const session: ErrorBodies = {
  schema: openObject('SessionError', {
    code: text,
    type: text,
    message: optional({ type: 'string', description: 'For people.' }),
  }),
  codeOf: (code) => sessionCodes[code] ?? code,
  body: (failure) => ({
    code: session.codeOf(failure.code),
    type: failure.type,
    message: failure.status === 401 ? unauthorized : joinSentences(failure),
  }),
}

const unauthorized = 'The access token is missing or not valid.'

/** The object of spec 7.3. */
const migration: ErrorBodies = {
  schema: openObject('MigrationConfigError', { code: text, status: text, message: text }),
  codeOf: (code) => code,
  body: (failure) => ({
    code: failure.code,
    status: failure.type,
    message: joinSentences(failure),
  }),
}

export const errorBodies = { main, session, migration } as const

export type ErrorBodiesName = keyof typeof errorBodies

/** Limits of the problems named, and of their length, so that a hostile request cannot make a large answer. */
const detailsMax = 100
const pathMax = 256
const messageMax = 2_000

// what is left of a character that was cut in two
const lonePart = /[\ud800-\udbff]$/

/** Returns caller-supplied text, cut to the maximum length with an ellipsis. */
export function truncate(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).replace(lonePart, '')}…`
}

function truncateDetail({ path, message, ...spot }: FailureDetail): FailureDetail {
  return { path: truncate(path, pathMax), message: truncate(message, messageMax), ...spot }
}

/** Message and details as one text, for bodies without a `details` field. */
function joinSentences({ message, details = [] }: Failure): string {
  if (details.length === 0) return message
  const shown = details.slice(0, detailsMax).map(truncateDetail)
  const sentences = shown.map(({ path, message }) => (path ? `${path}: ${message}` : message))
  return truncate(sentences.join(' '), messageMax)
}
