/** Ends the connections of clients that do not take their answers. */

import type { ServerResponse } from 'node:http'

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
