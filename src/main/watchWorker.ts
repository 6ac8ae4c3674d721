/** Whether a worker answers, as the first process finds out: nothing but its end could be seen of one that hangs. */

import type { ProcessLine } from '../domain/processLine.ts'

/** How often a worker is asked whether it lives. */
const lookMs = 1_000
/** Looks without an answer before it is given up: longer than anything may take in one piece. */
const silentLooks = 30

/**
 * Asks over the line until that ends, and calls `giveUp` once there is no answer any more. Looks are counted, not the time: while this
 * process stands still it hears no answer, and a worker is not to be ended for that.
 */
export function watchWorker(line: Pick<ProcessLine, 'ask' | 'ended'>, giveUp: () => void): void {
  let missed: number | undefined
  const heard = (): void => {
    missed = undefined
  }
  const timer = setInterval(() => {
    if (missed === undefined) {
      missed = 0
      line.ask('alive').then(heard, heard)
      return
    }
    missed += 1
    if (missed >= silentLooks) giveUp()
  }, lookMs)
  void line.ended.then(() => clearInterval(timer))
}
