/** Evaluates constant subexpressions of a rule, with their steps counted. */

import { compileExpression } from '../compile/compileExpression.ts'
import { newMemory, newSlots } from '../compile/memory.ts'
import type { Expression } from '../language/expression.ts'
import { currentSemantics as semantics } from '../language/semantics.ts'
import type { Value } from '../language/values/value.ts'

/** The value, or why evaluation failed: too many steps, or values that its operators do not take. */
export type ConstantValue =
  | { readonly value: Value }
  | { readonly failed: 'takes too many steps' | 'fails whatever arrives' }

/** The steps left for evaluating all constant subexpressions of one rule. */
export interface ConstantBudget {
  steps: number
}

/** As many steps as the rule itself may take. */
export function constantBudget(): ConstantBudget {
  return { steps: semantics.charges.ruleSteps }
}

/** Evaluates a constant subexpression (`isConstant`) once, with its steps counted. Throws on an unknown operator. */
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
