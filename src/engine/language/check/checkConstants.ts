/** Parts of a rule that nothing which arrives can change: they are tried when the rule is saved. */

import { constantValue } from '../../analyse/constantValue.ts'
import type { Expression } from '../expression.ts'
import { childrenOf, isConstant } from '../readsOf.ts'
import { type Checking, complain, spotOf } from './checking.ts'

/** Notes a problem for every constant part that fails whatever arrives. */
export function checkConstants(expression: Expression, checking: Checking): void {
  const children = childrenOf(expression)
  if (!isConstant(expression)) {
    for (const child of children) checkConstants(child, checking)
    return
  }
  if (children.length === 0) return
  const tried = constantValue(expression)
  if ('failed' in tried) {
    complain(checking, spotOf(checking, expression), `this part ${tried.failed}`)
  }
}
