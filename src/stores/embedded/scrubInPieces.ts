/** Looks through a file of a store beside its use: a piece at a time, each a short read, with rests between them. */

import { setTimeout as pause } from 'node:timers/promises'

export interface ScrubOptions {
  readonly file: string
  readonly signal: AbortSignal
  /** Of the time, one part in so many is spent on it. */
  readonly timeParts: number
}

/** Looks at piece after piece until one of them answers something, which is answered; undefined when none does or `signal` is aborted. */
export async function scrubInPieces<Odd>(
  pieces: Iterable<() => Odd | undefined>,
  { signal, timeParts }: Pick<ScrubOptions, 'signal' | 'timeParts'>,
): Promise<Odd | undefined> {
  for (const look of pieces) {
    if (signal.aborted) return undefined
    const beganMs = performance.now()
    const odd = look()
    if (odd !== undefined) return odd
    const restMs = (performance.now() - beganMs) * (timeParts - 1)
    // an abort ends the rest
    await pause(restMs, undefined, { signal }).catch(() => undefined)
  }
  return undefined
}
