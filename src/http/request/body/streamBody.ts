/** Sends a streaming body chunk by chunk, and ends it when the client disconnects. */

import { Readable } from 'node:stream'
import type { Context } from '../requestContext.ts'
import { runWhenClosed } from '../runWhenClosed.ts'

export interface StreamedBody {
  readonly chunks: AsyncIterable<string>
  /** Called once, when the response was sent or the client disconnected. */
  readonly onClosed: () => void
}

/** An error after the response had started: the client sees a connection that ends early. */
export class ResponseAborted extends Error {}

const listenersMax = 20

/** Sends the chunks as the response body. */
export function streamBody(ctx: Context, { chunks, onClosed: closed }: StreamedBody): void {
  const { res, app, state } = ctx
  // every layer that a request goes through waits for its end, and each part of a stream that is sent
  res.setMaxListeners(listenersMax)
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
    closed()
  })
  ctx.body = body
}
