/** What a client may take to send the whole of a request. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { goesOn } from '../request/linesBody.ts'

interface SlowBodies {
  /** To be told of every request when its headers are there. */
  readonly watch: (req: IncomingMessage) => void
}

/**
 * Cuts off who has not sent a request within so many milliseconds of its headers; of one whose body is read while it arrives, who has sent
 * next to nothing more of it for so long, or for twice as long at most.
 */
export function cutSlowBodies(timeoutMs: number, cut: (req: IncomingMessage) => void): SlowBodies {
  return {
    watch: (req) => {
      const timer = setTimeout(() => {
        if (req.complete) return
        if (goesOn(req)) timer.refresh()
        else cut(req)
      }, timeoutMs)
      // which follows its end
      req.once('close', () => clearTimeout(timer))
    },
  }
}

interface CutOptions {
  /** How long an answer may lie ready until it is taken, from its first byte to its last. */
  readonly answerMs: number
  /** How often it is looked. */
  readonly checkMs: number
}

/** Looks at these answers, which come and go, until it is stopped. */
export function cutSlowReaders(
  answering: ReadonlySet<ServerResponse>,
  { answerMs, checkMs }: CutOptions,
): { readonly stop: () => void } {
  const readySinceMs = new WeakMap<ServerResponse, number>()
  const look = (): void => {
    const nowMs = performance.now()
    for (const res of answering) {
      if (!res.writableEnded || res.writableFinished) continue
      const sinceMs = readySinceMs.get(res)
      if (sinceMs === undefined) readySinceMs.set(res, nowMs)
      else if (nowMs - sinceMs >= answerMs) res.destroy()
    }
  }
  const looking = setInterval(look, checkMs)
  looking.unref()
  return { stop: () => clearInterval(looking) }
}
