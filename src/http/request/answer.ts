/** Builds a route's response and writes its status, headers and body. */

import type { Seen, Written } from '../../domain/call.ts'
import { entityTag } from '../../domain/text/entityTag.ts'
import { type StreamedBody, streamBody } from './body/streamBody.ts'
import type { Context } from './context.ts'

export interface Answer {
  readonly status: number
  /** JSON text ready to be sent, or a value to be written as JSON; absent for an answer without a body. */
  readonly body?: string | object
  /** The body in pieces, made as the client takes them; in place of `body`. */
  readonly pieces?: StreamedBody
  /** Of the body, when it is not JSON. */
  readonly contentType?: string
  /** Answered as `X-Vigil-Position`. */
  readonly position?: number
  /** False is answered as `X-Vigil-Visible: false`. */
  readonly visible?: boolean
  /** For how long anyone may keep it, in seconds; nobody may unless given. */
  readonly cachedSeconds?: number
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>
  /** Answered as `ETag`, quotes included. */
  readonly etag?: string
}

/** The answer of a command that made something. */
export function written(
  status: number,
  { value, position, visible }: Written<string | object>,
): Answer {
  return { status, body: value, position, visible }
}

/** The answer of a command after which there is nothing to show. */
export function removed({ position, visible }: Written<void>): Answer {
  return { status: 204, position, visible }
}

/** The answer of a question. */
export function seen({ value, position }: Seen<object>): Answer {
  return { status: 200, body: value, position }
}

/** The answer with the entity tag of what it shows. */
export function tagged(answer: Answer): Answer {
  return typeof answer.body === 'object' ? { ...answer, etag: entityTag(answer.body) } : answer
}

/** What is left of an answer that the caller has already. */
export function unchanged({ body: _, ...answer }: Answer): Answer {
  return { ...answer, status: 304 }
}

const jsonType = 'application/json; charset=utf-8'

/** Writes the answer into the response. */
export function sendAnswer(ctx: Context, answer: Answer): void {
  const { status, body, pieces, contentType = jsonType } = answer
  // the answer came after the time for it was over, and another has been given
  if (ctx.res.headersSent) {
    pieces?.closed()
    return
  }
  // of the response itself: on the context the same is asked for by name, which takes longer
  const { response } = ctx
  response.status = status
  setHeaders(ctx.res, answer)
  if (pieces) {
    ctx.res.setHeader('Content-Type', contentType)
    streamBody(ctx, pieces)
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
