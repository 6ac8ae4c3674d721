/** A condition whose steps are counted: it takes them off what the run has left, and stops when there are none. */

import type { Value } from '../language/values/value.ts'
import type { Thunk } from './compiled.ts'
import type { Memory } from './memory.ts'

/**
 * The condition with at most `ruleSteps` to spend. A recipe in which something failed is run a second time, rule by rule: what was
 * computed the first time is not computed again, and costs nothing.
 */
export function metered(condition: Thunk, memory: Memory, ruleSteps: number): Thunk {
  let known: { readonly run: number; readonly came: Outcome } | undefined
  return () => {
    if (known?.run !== memory.run) {
      // the second time is certain, and this rule then comes in its turn
      if (memory.failed) return false
      known = { run: memory.run, came: outcomeOf(condition, memory, ruleSteps) }
    }
    const { came } = known
    if ('thrown' in came) throw came.thrown
    if (came.failed) {
      memory.failed = true
      memory.blockedBy = came.blockedBy
    }
    return came.value
  }
}

type Outcome =
  | { readonly thrown: unknown }
  | {
      readonly value: Value
      readonly failed: boolean
      readonly blockedBy: string | undefined
    }

function outcomeOf(condition: Thunk, memory: Memory, ruleSteps: number): Outcome {
  const granted = Math.min(ruleSteps, memory.runSteps)
  memory.steps = granted
  try {
    const value = condition()
    return { value, failed: memory.failed, blockedBy: memory.blockedBy }
  } catch (thrown) {
    return { thrown }
  } finally {
    memory.runSteps -= granted - Math.max(0, memory.steps)
  }
}
