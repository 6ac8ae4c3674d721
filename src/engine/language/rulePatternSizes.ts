/** Sums the sizes of a rule's patterns, and checks them against the limits for one rule. */

import { type Expression, visitNodes } from './expression.ts'
import { findOperationById } from './operators/operationTable.ts'
import { ruleLimits } from './ruleLimits.ts'

/** The problem of a pattern's size, or of the sum of those of the rule; undefined within the limits. */
export function findPatternSizeProblem(size: number, sum: number): string | undefined {
  const { patternSize, rulePatterns } = ruleLimits
  if (size > patternSize) return `the pattern has a size of ${size}, and at most ${patternSize} fit`
  if (sum <= rulePatterns) return undefined
  return `with this pattern of size ${size} those of the rule come to ${sum}, and at most ${rulePatterns} fit`
}

export function sumPatternSizes(rule: Expression): number {
  let sum = 0
  visitNodes(rule, (node) => {
    if (node.kind !== 'call') return
    const literal = node.args.at(-1)
    if (literal?.kind !== 'literal') return
    sum += findOperationById(node.operator)?.patternSize?.(literal.value) ?? 0
  })
  return sum
}
