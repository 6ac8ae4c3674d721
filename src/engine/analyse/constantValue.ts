/** What a part of a rule gives in which nothing is read. */

import { compileExpression } from '../compile/compileExpression.ts'
import { newMemory } from '../compile/memory.ts'
import { newSlots } from '../compile/slots.ts'
import type { Expression } from '../language/expression.ts'
import { limits } from '../language/limits.ts'
import type { Value } from '../language/values/value.ts'

/** Whether the part failed, and of what it died: of work without end, or of values that its operators do not take. */
export type ConstantValue =
  | { readonly value: Value }
  | { readonly failed: 'takes too many steps' | 'fails whatever arrives' }

/** Runs a part that is constant (`isConstant`) once, with its steps counted. Throws on an operator of another time. */
export function constantValue(constant: Expression): ConstantValue {
  const memory = newMemory()
  memory.steps = limits.ruleSteps
  const { run } = compileExpression(constant, {
    memory,
    slots: newSlots(),
    counted: true,
    guarded: false,
    rule: undefined,
    variables: new Map(),
    shared: new Map(),
  })
  const value = run()
  if (!memory.failed) return { value }
  return { failed: memory.steps < 0 ? 'takes too many steps' : 'fails whatever arrives' }
}
