/** Evaluates constant subexpressions of a rule, with their steps counted. */

import { compileExpression } from '../compile/compileExpression.ts'
import { newMemory } from '../compile/memory.ts'
import { newSlots } from '../compile/slots.ts'
import type { Expression } from '../language/expression.ts'
import { currentSemantics as semantics } from '../language/semantics.ts'
import type { Value } from '../language/values/value.ts'

/** Whether the part failed, and of what it died: of work without end, or of values that its operators do not take. */
export type ConstantValue =
  | { readonly value: Value }
  | { readonly failed: 'takes too many steps' | 'fails whatever arrives' }

/** What trying the constant parts of one rule may still cost, all together. */
export interface ConstantBudget {
  steps: number
}

/** As many steps as the rule itself may take. */
export function constantBudget(): ConstantBudget {
  return { steps: semantics.charges.ruleSteps }
}

/** Runs a part that is constant (`isConstant`) once, with its steps counted. Throws on an operator of another time. */
export function constantValue(constant: Expression, budget: ConstantBudget): ConstantValue {
  const memory = newMemory()
  memory.steps = budget.steps
  const { run } = compileExpression(constant, {
    memory,
    slots: newSlots(),
    semantics,
    counted: true,
    guarded: false,
    rule: constant,
    variables: new Map(),
    shared: new Map(),
    lookups: new Map(),
  })
  const value = run()
  budget.steps = memory.steps
  if (!memory.failed) return { value }
  return { failed: memory.steps < 0 ? 'takes too many steps' : 'fails whatever arrives' }
}
