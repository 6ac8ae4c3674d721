/** Declares the memory of a compiled plan: one array of evidence slots, filled anew for every run. */

import type { Cell, Value } from '../language/values/value.ts'

export interface Memory {
  /** Evidence by slot; undefined where it did not arrive. */
  readonly cells: (Cell | undefined)[]
  /** The variables of the loops that are running, outermost first. */
  readonly locals: Value[]
  /** Rises with every run: what was computed for an earlier one does not count. */
  run: number
  /** Whether the rule at work has failed. */
  failed: boolean
  /** The name that failed rule waits for; undefined where no name is to blame. */
  blockedBy: string | undefined
  /** Steps left to the rule at work, where they are counted. */
  steps: number
  /** Steps left to all rules of the run whose steps are counted. */
  runSteps: number
}

/** An empty memory. */
export function newMemory(): Memory {
  return {
    cells: [],
    locals: [],
    run: 0,
    failed: false,
    blockedBy: undefined,
    steps: 0,
    runSteps: 0,
  }
}

/** Notes that the rule at work has failed; what failed first counts. */
export function fail(memory: Memory, blame: string | undefined): void {
  if (memory.failed) return
  memory.failed = true
  memory.blockedBy = blame
}

/** Subtracts steps; false, and the rule has failed, when too few were left. */
export function spend(memory: Memory, steps: number): boolean {
  memory.steps -= steps
  if (memory.steps >= 0) return true
  fail(memory, undefined)
  return false
}
