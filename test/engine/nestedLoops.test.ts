import { expect, test } from 'vitest'
import { compileExpression } from '../../src/engine/compile/compileExpression.ts'
import { newEvidenceSlots, newMemory } from '../../src/engine/compile/planMemory.ts'
import { expressionOf } from './support/evaluate.ts'

/** How often the one name in the innermost list is compiled. */
function compiledNames(depth: number): number {
  const text = Array.from({ length: depth }).reduce<string>(
    (item, _, at) => `[${item}].exists(x${at}, x${at})`,
    'has(signal.ip)',
  )
  const slots = newEvidenceSlots()
  let asked = 0
  const counting: typeof slots = {
    ...slots,
    getOrAddSlot: (...name) => {
      asked += 1
      return slots.getOrAddSlot(...name)
    },
  }
  const expression = expressionOf(text)
  compileExpression(expression, {
    memory: newMemory(),
    slots: counting,
    countsSteps: true,
    hasGuards: false,
    rule: expression,
    variables: new Map(),
    memoizedOperations: new Map(),
    asks: new Map(),
  })
  return asked
}

test('what stands in lists of lists is compiled once, however deep it stands', () => {
  expect([1, 4, 8].map(compiledNames)).toEqual([1, 1, 1])
})
