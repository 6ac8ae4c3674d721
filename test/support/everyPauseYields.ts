/** Long work of which every slice is over at once; to be taken back with `vi.restoreAllMocks`. */

import { vi } from 'vitest'

/** `atPause` is called at each pause. */
export function everyPauseYields(atPause: () => void = () => undefined): void {
  vi.spyOn(performance, 'now').mockImplementation(() => {
    atPause()
    // no slice ends after it, nor does one that begins then
    return Number.NaN
  })
}

/** How many turns the event loop had while the work was done. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let done = false
  const turn = (): void => {
    turns += 1
    if (!done) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  done = true
  return turns
}
