/** Evaluates constant subexpressions of a rule within a step budget. */

import { compileExpression } from '../compile/compileExpression.ts'
import { newEvidenceSlots, newMemory } from '../compile/planMemory.ts'
import type { Expression } from '../language/expression.ts'
import { charges } from '../language/operationCosts.ts'
import type { Value } from '../language/values/value.ts'

/** The steps left for evaluating all constant subexpressions of one rule. */
export interface ConstantBudget {
  steps: number
}

/** As many steps as the rule itself may take. */
export function newConstantBudget(): ConstantBudget {
  return { steps: charges.ruleStepsMax }
}

/**
 * The value of a constant subexpression (`isConstant`), evaluated once; undefined when it fails, with the steps of the
 * budget below zero when it takes too many. Throws on an unknown operator.
 */
export function evaluateConstant(constant: Expression, budget: ConstantBudget): Value | undefined {
  const memory = newMemory()
  memory.stepsLeft = budget.steps
  const { run } = compileExpression(constant, {
    memory,
    slots: newEvidenceSlots(),
    countsSteps: true,
    hasGuards: false,
    rule: constant,
    variables: new Map(),
    memoizedOperations: new Map(),
    asks: new Map(),
  })
  const value = run()
  budget.steps = memory.stepsLeft
  return memory.hasFailed ? undefined : value
}
