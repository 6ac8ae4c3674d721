/** Type-checks operators, and folds negative literals. */

import type { CallNode, Place } from '../expression.ts'
import { findOperation, signaturesOf } from '../operators/table.ts'
import type { Syntax } from '../problem.ts'
import { itemType, type Type, typeName } from '../values/value.ts'
import {
  type Checking,
  checkAll,
  complainOfTypes,
  operatorName,
  spotOf,
  type Typed,
} from './checking.ts'
import { checkInteger } from './checkLiteral.ts'

type OperatorSyntax = Extract<Syntax, { kind: 'operator' }>

/** An operator with its operands, checked. */
export function checkOperator(syntax: OperatorSyntax, checking: Checking): Typed | undefined {
  const { symbol, args, at } = syntax
  const [only] = args
  if (symbol === '-' && args.length === 1 && only?.kind === 'integer') {
    return checkInteger(-only.value, syntax, checking)
  }
  const operands = checkAll(args, checking)
  if (!operands) return undefined
  if (symbol === '&&' || symbol === '||') return checkLogic(syntax, operands, checking)
  if (symbol === '?:') return checkChoice(syntax, operands, checking)
  const [first] = operands
  if (symbol === '-' && args.length === 1 && first?.node.kind === 'literal') {
    const negated = negative(first, at)
    if (negated) return negated
  }
  const types = operands.map(({ type }) => type)
  const operation = findOperation(symbol, types)
  if (!operation) {
    const name = operatorName(symbol, args.length)
    return complainOfTypes(checking, syntax, {
      name,
      types,
      hint: truthHint(symbol, operands) ?? hintFor(symbol, types),
    })
  }
  return { node: call(operation.id, operands, at), type: operation.result }
}

/** A negative literal; a negative zero stays an operation, since JSON, in which rules are kept, does not tell it from zero. */
function negative({ node, type }: Typed, at: Place): Typed | undefined {
  if (node.kind !== 'literal' || type !== 'double' || node.value === 0) return undefined
  return { node: { ...node, value: -Number(node.value), at }, type }
}

function call(operator: string, operands: readonly Typed[], at: Place): CallNode {
  return { kind: 'call', operator, args: operands.map(({ node }) => node), at }
}

function checkLogic(
  { symbol, at }: OperatorSyntax,
  operands: readonly Typed[],
  checking: Checking,
): Typed | undefined {
  const types = operands.map(({ type }) => type)
  for (const { node, type } of operands) {
    if (type === 'bool') continue
    const hint = `both sides of ${symbol} must be bool, and this is ${typeName(type)}`
    return complainOfTypes(checking, spotOf(checking, node), {
      name: operatorName(symbol, 2),
      types,
      hint,
    })
  }
  return { node: call(symbol, operands, at), type: 'bool' }
}

function checkChoice(
  syntax: OperatorSyntax,
  operands: readonly Typed[],
  checking: Checking,
): Typed | undefined {
  const [condition, one, other] = operands
  if (!condition || !one || !other) return undefined
  const types = operands.map(({ type }) => type)
  if (condition.type === 'bool' && one.type === other.type && !itemType(one.type)) {
    return { node: call('?:', operands, syntax.at), type: one.type }
  }
  const hint = 'the condition must be bool and both branches of one type'
  return complainOfTypes(checking, syntax, { name: operatorName('?:', 3), types, hint })
}

const comparisons = new Set(['==', '!=', '<', '<=', '>', '>=', 'in'])
const numbers = new Set<string>(['int', 'double'])

/** `signal.existing_user == "true"`, `target.phone_number in list.block`: what is true or false by itself is compared with nothing. */
function truthHint(symbol: string, operands: readonly Typed[]): string | undefined {
  const own = operands.find(({ node, type }) => node.kind === 'read' && type === 'bool')?.node
  const text = operands.find(({ node }) => node.kind === 'literal')?.node
  if (own?.kind !== 'read') return undefined
  if (symbol === 'in') return `did you mean '${own.name}'?`
  if (text?.kind !== 'literal' || !['true', 'false'].includes(`${text.value}`)) return undefined
  const isMeant = (symbol === '==') === (text.value === 'true')
  return symbol === '==' || symbol === '!='
    ? `did you mean '${isMeant ? '' : '!'}${own.name}'?`
    : undefined
}

/** What would help, where that is plain. */
function hintFor(symbol: string, types: readonly Type[]): string {
  const kinds = types.map((type) => itemType(type) ?? type)
  const other = kinds.find((kind) => kind !== 'string')
  if (symbol === 'in' && types[1] !== undefined && !itemType(types[1])) {
    return 'the right side of in must be a list written in the rule'
  }
  if (kinds.includes('string') && other !== undefined) {
    // texts of numbers may have decimals, which int(…) cannot read
    const converted = other === 'int' && comparisons.has(symbol) && symbol !== 'in'
    return `convert the text first: ${converted ? 'double' : other}(…)`
  }
  if (
    !comparisons.has(symbol) &&
    kinds.every((kind) => numbers.has(kind)) &&
    kinds[0] !== kinds[1]
  ) {
    return 'convert the int first: double(…)'
  }
  if (types.some((type) => itemType(type)) && symbol !== 'in') {
    return 'lists have in, size, exists and all'
  }
  return comparisons.has(symbol)
    ? 'both sides must be of one type'
    : `it takes ${signaturesOf(symbol, types.length).join(' or ')}`
}
