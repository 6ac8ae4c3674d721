/** Estimates the bytes of memory that a compiled rule takes. */

import { collect, type Expression } from '../language/expression.ts'
import { patternsSize } from '../language/patternSizes.ts'
import type { PlannedRule } from '../run/plan.ts'

/** Of any rule, of one node with its closure, of one unit of the size of its patterns. Measured; the last is the most there is. */
const ownBytes = 3500
const nodeBytes = 250
const patternUnitBytes = 130

/** An estimate, in bytes: of its expression, what it became, and the patterns that it may be the only one to have. */
export function ruleBytes({ expression }: Pick<PlannedRule, 'expression'>): number {
  return ownBytes + (expression ? expressionBytes(expression) : 0)
}

function expressionBytes(expression: Expression): number {
  let bytes = patternUnitBytes * patternsSize(expression)
  collect(expression, (node) => {
    const chars = node.kind === 'literal' && typeof node.value === 'string' ? node.value.length : 0
    bytes += nodeBytes + 2 * chars
  })
  return bytes
}
