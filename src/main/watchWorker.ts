/** Whether a worker answers, as the first process finds out: nothing but its end could be seen of one that hangs. */

import type { ProcessLine } from '../domain/processLine.ts'

/** How often a worker is asked whether it lives. */
const lookMs = 1_000
/** Looks without an answer before it is given up: longer than anything may take in one piece, */
const silentLooks = 30
/** but for what comes before its first answer: the program is loaded, which a busy machine may stretch to many times what it takes. */
const firstLooks = 120

/**
 * Asks over the line until that ends, and calls `giveUp` with a sentence that says why once there is no answer any more. Looks are
 * counted, not the time: while this process stands still it hears no answer, and a worker is not to be ended for that.
 */
export function watchWorker(
  line: Pick<ProcessLine, 'ask' | 'ended'>,
  giveUp: (why: string) => void,
): void {
  let missed: number | undefined
  let hasBegun = false
  const heard = (): void => {
    missed = undefined
    hasBegun = true
  }
  const timer = setInterval(() => {
    if (missed === undefined) {
      missed = 0
      line.ask('alive').then(heard, heard)
      return
    }
    missed += 1
    if (missed >= (hasBegun ? silentLooks : firstLooks)) giveUp(hasBegun ? silent : unbegun)
  }, lookMs)
  void line.ended.then(() => clearInterval(timer))
}

const silent = `A worker was ended: it did not answer for ${seconds(silentLooks)}.`
const unbegun =
  `A worker was ended: it did not begin within ${seconds(firstLooks)}. ` +
  'The machine is too busy: set VIGIL_WORKERS lower, or give it more processor time.'

function seconds(looks: number): string {
  return `${(looks * lookMs) / 1_000} s`
}
