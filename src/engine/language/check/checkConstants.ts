/** Parts of a rule that nothing which arrives can change: they are tried when the rule is saved. */

import type { Scope } from '../../compile/compiled.ts'
import { compileExpression } from '../../compile/compileExpression.ts'
import { newMemory } from '../../compile/memory.ts'
import { newSlots } from '../../compile/slots.ts'
import type { Expression } from '../expression.ts'
import { limits } from '../limits.ts'
import { childrenOf, isConstant } from '../readsOf.ts'
import { type Checking, complain, spotOf } from './checking.ts'

/** Notes a problem for every constant part that fails whatever arrives. */
export function checkConstants(expression: Expression, checking: Checking): void {
  if (isConstant(expression)) {
    if (childrenOf(expression).length > 0) tryConstant(expression, checking)
    return
  }
  const children = childrenOf(expression)
  for (const child of children) checkConstants(child, checking)
}

/** Runs a constant part once, with its steps counted. */
function tryConstant(expression: Expression, checking: Checking): void {
  const memory = newMemory()
  memory.steps = limits.ruleSteps
  const { run } = compileExpression(expression, scopeOf(memory))
  run()
  if (!memory.failed) return
  const what = memory.steps < 0 ? 'takes too many steps' : 'fails whatever arrives'
  complain(checking, spotOf(checking, expression), `this part ${what}`)
}

function scopeOf(memory: Scope['memory']): Scope {
  return {
    memory,
    slots: newSlots(),
    counted: true,
    guarded: false,
    rule: undefined,
    variables: new Map(),
    shared: new Map(),
  }
}
