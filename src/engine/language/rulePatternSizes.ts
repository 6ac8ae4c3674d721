/** Validates the size of a rule's patterns against the limits for one rule. */

import { collect, type Expression, type Position } from './expression.ts'
import { limits } from './limits.ts'
import { operationOf } from './operators/operationTable.ts'

/** The size of the patterns of a rule checked so far. */
export interface PatternSizes {
  size: number
}

/** Adds a pattern of this size; returns the problem when it, or the sum, exceeds a rule's limit. */
export function addPattern(sum: PatternSizes, size: number): string | undefined {
  sum.size += size
  const { patternSize, rulePatterns } = limits
  if (size > patternSize) return `the pattern has a size of ${size}, and at most ${patternSize} fit`
  if (sum.size <= rulePatterns) return undefined
  return `with this pattern of size ${size} those of the rule come to ${sum.size}, and at most ${rulePatterns} fit`
}

/** The size of all patterns of a rule. */
export function patternsSize(rule: Expression): number {
  return patternsOf(rule).reduce((sum, { size }) => sum + size, 0)
}

/** The first pattern beyond a rule's limits; a rule saved before the limits may have one. */
export function tooLargePattern(
  rule: Expression,
): { readonly at: Position; readonly text: string } | undefined {
  const sum: PatternSizes = { size: 0 }
  for (const { at, size } of patternsOf(rule)) {
    const text = addPattern(sum, size)
    if (text !== undefined) return { at, text }
  }
  return undefined
}

function patternsOf(rule: Expression) {
  const found: { readonly at: Position; readonly size: number }[] = []
  collect(rule, (node) => {
    if (node.kind !== 'call') return
    const sizeOf = operationOf(node.operator)?.patternSize
    const literal = node.args.at(-1)
    if (sizeOf && literal?.kind === 'literal') {
      found.push({ at: literal.at, size: sizeOf(literal.value) })
    }
  })
  return found
}
