/** Finds the type of an expression's value. */

import { isCounterOperator } from './counters.ts'
import type { Expression, ValueType } from './expression.ts'
import { findOperationById } from './operators/operationTable.ts'
import { findNameType, parseExtKey } from './readableNames.ts'

/** Undefined for lists, for the variables of loops, for parameters, and for operators of another time. */
export function findExpressionType(node: Expression): ValueType | undefined {
  switch (node.kind) {
    case 'literal':
      return node.type
    case 'read':
      if (node.convert !== undefined) return node.convert
      return parseExtKey(node.name) === undefined ? findNameType(node.name, undefined) : 'string'
    case 'call':
      return findCallType(node.operator, node.args)
    case 'list':
    case 'variable':
      return undefined
    default:
      return 'bool'
  }
}

function findCallType(operator: string, args: readonly Expression[]): ValueType | undefined {
  if (operator === '&&' || operator === '||') return 'bool'
  if (isCounterOperator(operator)) return 'int'
  if (operator !== '?:') return findOperationById(operator)?.result
  const [, one] = args
  return one && findExpressionType(one)
}
