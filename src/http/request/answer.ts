/** Builds the responses of commands and queries, and writes their status, headers and body. */

import type { Page, QueryResult, WriteResult } from '../../domain/call.ts'
import { entityTag } from '../../domain/text/entityTag.ts'
import { type StreamedBody, streamBody } from './body/streamBody.ts'
import type { Context } from './requestContext.ts'

export interface Answer {
  readonly status: number
  /** JSON text ready to be sent, or a value to be written as JSON; absent for an answer without a body. */
  readonly body?: string | object
  /** The body in chunks, made as the client takes them; in place of `body`. */
  readonly chunks?: StreamedBody
  /** Of the body, when it is not JSON. */
  readonly contentType?: string
  /** Answered as `X-Vigil-Position`. */
  readonly position?: number
  /** False is answered as `X-Vigil-Visible: false`. */
  readonly visible?: boolean
  /** Seconds it may be cached publicly; not cached unless given. */
  readonly cachedSeconds?: number
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>
  /** Answered as `ETag`, quotes included. */
  readonly etag?: string
}

/** The answer of a command that returns a value. */
export function commandAnswer(
  status: number,
  { value, position, visible }: WriteResult<string | object>,
): Answer {
  return { status, body: value, position, visible }
}

/** The 204 answer of a command that returns nothing. */
export function noContentAnswer({
  position,
  visible,
}: Omit<WriteResult<unknown>, 'value'>): Answer {
  return { status: 204, position, visible }
}

/** The 200 answer of a query. */
export function queryAnswer({ value, position }: QueryResult<object>): Answer {
  return { status: 200, body: value, position }
}

/** The 200 answer of a query for a page, whose items stand under `plural`. */
export function pageAnswer(plural: string, { value, position }: QueryResult<Page<object>>): Answer {
  return queryAnswer({ value: { [plural]: value.items, next_cursor: value.nextCursor }, position })
}

/** Adds the `ETag` of the body. */
export function withEntityTag(answer: Answer): Answer {
  return typeof answer.body === 'object' ? { ...answer, etag: entityTag(answer.body) } : answer
}

/** The 304 form of an answer. */
export function notModifiedAnswer({ body: _, ...answer }: Answer): Answer {
  return { ...answer, status: 304 }
}

const jsonType = 'application/json; charset=utf-8'

/** Writes the answer to the response; does nothing when a timeout has already answered. */
export function sendAnswer(ctx: Context, answer: Answer): void {
  const { status, body, chunks, contentType = jsonType } = answer
  // the answer came after the time for it was over, and another has been given
  if (ctx.res.headersSent) {
    chunks?.onClosed()
    return
  }
  // of the response itself: on the context the same is asked for by name, which takes longer
  const { response } = ctx
  response.status = status
  setHeaders(ctx.res, answer)
  if (chunks) {
    ctx.res.setHeader('Content-Type', contentType)
    streamBody(ctx, chunks)
  } else if (body !== undefined) {
    ctx.res.setHeader('Content-Type', contentType)
    response.body = typeof body === 'string' ? body : JSON.stringify(body)
  }
}

function setHeaders(
  res: Context['res'],
  { position, visible, etag, cachedSeconds, headers }: Answer,
): void {
  if (etag !== undefined) res.setHeader('ETag', etag)
  if (headers) for (const [name, text] of Object.entries(headers)) res.setHeader(name, text)
  if (cachedSeconds !== undefined) {
    res.setHeader('Cache-Control', `public, max-age=${cachedSeconds}`)
  }
  if (position !== undefined) res.setHeader('X-Vigil-Position', String(position))
  if (visible === false) res.setHeader('X-Vigil-Visible', 'false')
}
