import { compilePlannedRule, runRule } from '../../../src/engine/compile/compilePlannedRule.ts'
import { newEvidenceSlots, newMemory } from '../../../src/engine/compile/planMemory.ts'
import { evidenceOf, ruleOf, type Values } from './evaluate.ts'

/** What a rule takes over the evidence when every step is counted, and what it was foreseen to take at most. */
export function spentOn(
  text: string,
  values: Values,
): { readonly foreseen: number; readonly spent: number } {
  // so many that no rule here can take them
  const steps = 1e9
  const memory = newMemory()
  const slots = newEvidenceSlots()
  const rule = compilePlannedRule(
    ruleOf('a', text),
    { memory, slots, memoizedOperations: new Map(), asks: new Map() },
    -1,
  )
  const complete = slots.load(evidenceOf(values), memory) === 0
  memory.run += 1
  memory.runStepsLeft = steps
  runRule(rule, memory, complete)
  return { foreseen: rule.stepsMax, spent: steps - memory.runStepsLeft }
}
