/** Parts of a rule that nothing which arrives can change: they are tried when the rule is saved. */

import { type ConstantBudget, constantBudget, constantValue } from '../../analyse/constantValue.ts'
import type { Expression } from '../expression.ts'
import { childrenOf, isConstant } from '../readsOf.ts'
import { type Checking, complain, spotOf } from './checking.ts'

/** Notes a problem for every constant part that fails whatever arrives; trying all of them may take the steps of one rule. */
export function checkConstants(expression: Expression, checking: Checking): void {
  checkBelow(expression, checking, constantBudget())
}

function checkBelow(expression: Expression, checking: Checking, budget: ConstantBudget): void {
  const children = childrenOf(expression)
  if (!isConstant(expression)) {
    for (const child of children) checkBelow(child, checking, budget)
    return
  }
  if (children.length === 0 || budget.steps < 0) return
  const tried = constantValue(expression, budget)
  if ('failed' in tried) {
    complain(checking, spotOf(checking, expression), `this part ${tried.failed}`)
  }
}
