/** Answers that are made while the client takes them: only a piece of them is in memory. */

import { Readable } from 'node:stream'
import type { Context } from './context.ts'
import { whenClosed } from './whenClosed.ts'

export interface StreamedBody {
  readonly pieces: AsyncIterable<string>
  /** Called once, when the answer has been taken or the client is gone. */
  readonly closed: () => void
}

/** What went wrong when a part of the answer had been sent: the client sees a connection that ends too early. */
export class BrokenAnswer extends Error {}

/** How long a piece may lie ready until it is taken. */
const pieceMs = 30_000
const listenersMax = 20

/** Sends the pieces as the body of the answer. Whoever does not take them loses the connection. */
export function streamBody(ctx: Context, { pieces, closed }: StreamedBody): void {
  const { res, app, state } = ctx
  // every layer that a request goes through waits for its end, and each part of a stream that is sent
  res.setMaxListeners(listenersMax)
  const body = Readable.from(
    inTime(pieces, () => res.destroy()),
    { objectMode: false },
  )
  body.once('error', (cause) => {
    if (!res.closed) {
      const message = `the answer of request ${state.requestId} broke off`
      app.emit('error', new BrokenAnswer(message, { cause }), ctx)
    }
    res.destroy()
  })
  whenClosed(res, () => {
    body.destroy()
    closed()
  })
  ctx.body = body
}

async function* inTime(pieces: AsyncIterable<string>, cut: () => void): AsyncGenerator<string> {
  for await (const piece of pieces) {
    const timer = setTimeout(cut, pieceMs)
    try {
      yield piece
    } finally {
      clearTimeout(timer)
    }
  }
}
