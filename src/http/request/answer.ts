/** Declares the answer of a route, and writes its status, headers and body, whole or streamed. */

import { Readable } from 'node:stream'
import type { Page } from '../../domain/call.ts'
import type { OpenedPersons } from '../../domain/shownPersons.ts'
import type { Context } from './requestContext.ts'
import { runWhenClosed } from './runWhenClosed.ts'

/** What a route answers: the result of a command or a query, and what else the response says. */
export interface Answer {
  /** The body: JSON text ready to be sent, or a value to be written as JSON. A 204 or 304 has none. */
  readonly value?: unknown
  /** The body in chunks, made as the client takes them; in place of `value`. */
  readonly chunks?: StreamedBody
  /** Whether `value` is written in slices. */
  readonly isLong?: true
  /** Of the body, when it is not JSON. */
  readonly contentType?: string
  /** That of the route's success unless given. */
  readonly status?: number
  /** Answered as `X-Vigil-Position`; where the read models stood before a query, unless given. */
  readonly position?: number
  /** False is answered as `X-Vigil-Visible: false`. */
  readonly visible?: boolean
  /** Seconds it may be cached publicly; not cached unless given. */
  readonly cachedSeconds?: number
  /** Whom the body shows to a caller who may see persons: put on record before it is sent. */
  readonly persons?: OpenedPersons
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>
  /** Answered as `ETag`, quotes included; that of the value on routes whose answers are tagged, unless given. */
  readonly etag?: string
}

interface StreamedBody {
  readonly chunks: AsyncIterable<string | Uint8Array>
  /** Called once, when the response was sent or the client disconnected. */
  readonly onClosed: () => void
}

/** The answer of a query for a page, whose items stand under `plural`; many pages at once are written in turns. */
export async function pageAnswer<Item extends object>(
  plural: string,
  page: Page<Item> | Promise<Page<Item>>,
  personsOf?: (items: readonly Item[]) => OpenedPersons,
): Promise<Answer> {
  const { items, nextCursor } = await page
  const value = { [plural]: items, next_cursor: nextCursor }
  return { value, isLong: true, ...(personsOf && { persons: personsOf(items) }) }
}

export async function valueAnswer(value: Promise<object>): Promise<Answer> {
  return { value: await value }
}

/** An answer that may be many megabytes long: its text is made in slices. */
export async function longAnswer(value: Promise<object>): Promise<Answer> {
  return { value: await value, isLong: true }
}

const jsonType = 'application/json; charset=utf-8'

/** Writes the answer to the response; does nothing when a timeout has already answered. */
export function sendAnswer(ctx: Context, answer: Answer, status: number): void {
  const { value, chunks, contentType = jsonType } = answer
  // the answer came after the time for it was over, and another has been given
  if (ctx.res.headersSent) {
    chunks?.onClosed()
    return
  }
  // of the response itself: on the context the same is asked for by name, which takes longer
  const { response } = ctx
  response.status = status
  setHeaders(ctx.res, answer)
  if (status === 204 || status === 304) return
  if (chunks) {
    ctx.res.setHeader('Content-Type', contentType)
    streamBody(ctx, chunks)
  } else if (value !== undefined) {
    ctx.res.setHeader('Content-Type', contentType)
    response.body = typeof value === 'string' ? value : JSON.stringify(value)
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

/** An error after the response had started: the client sees a connection that ends early. */
export class ResponseAborted extends Error {}

/** Sends the chunks as the response body. */
function streamBody(ctx: Context, { chunks, onClosed }: StreamedBody): void {
  const { res, app, state } = ctx
  // every layer that a request goes through waits for its end, and each part of a stream that is sent
  res.setMaxListeners(20)
  const body = Readable.from(chunks, { objectMode: false })
  body.once('error', (cause) => {
    if (!res.closed) {
      const message = `the answer of request ${state.requestId} broke off`
      app.emit('error', new ResponseAborted(message, { cause }), ctx)
    }
    res.destroy()
  })
  runWhenClosed(res, () => {
    body.destroy()
    onClosed()
  })
  ctx.body = body
}
