/** Type-checks operators, literals, integers and lists, and folds negative literals. */

import type { CallNode, Position, ValueType } from '../expression.ts'
import { findOperation, listSignatures } from '../operators/operationTable.ts'
import { ruleLimits } from '../ruleLimits.ts'
import type { SourceRange, Syntax } from '../syntax.ts'
import { findItemType, formatType, type Type } from '../values/value.ts'
import {
  addNoOverload,
  addProblem,
  type CheckContext,
  checkOperands,
  formatOperatorName,
  type TypedNode,
} from './checkContext.ts'

type OperatorSyntax = Extract<Syntax, { kind: 'operator' }>

export function checkOperator(
  syntax: OperatorSyntax,
  context: CheckContext,
): TypedNode | undefined {
  const { symbol, args, at } = syntax
  const [only] = args
  if (symbol === '-' && args.length === 1 && only?.kind === 'integer') {
    return checkInteger(-only.value, syntax, context)
  }
  const operands = checkOperands(args, context)
  if (!operands) return undefined
  if (symbol === '&&' || symbol === '||') return checkLogic(syntax, operands, context)
  if (symbol === '?:') return checkChoice(syntax, operands, context)
  const [first] = operands
  if (symbol === '-' && args.length === 1 && first?.node.kind === 'literal') {
    const negated = negateLiteral(first, at)
    if (negated) return negated
  }
  const types = operands.map(({ type }) => type)
  const operation = findOperation(symbol, types)
  if (!operation) {
    const name = formatOperatorName(symbol, args.length)
    const hint = suggestBoolTest(symbol, operands) ?? suggestOperands(symbol, types)
    return addNoOverload(context, syntax, { name, args: operands, hint })
  }
  return { node: buildCall(operation.id, operands, at), type: operation.result }
}

/** A negative literal; a negative zero stays an operation, since rules are stored as JSON, which has none. */
function negateLiteral({ node, type }: TypedNode, at: Position): TypedNode | undefined {
  if (node.kind !== 'literal' || type !== 'double' || node.value === 0) return undefined
  return { node: { ...node, value: -Number(node.value), at }, type }
}

function buildCall(operator: string, operands: readonly TypedNode[], at: Position): CallNode {
  return { kind: 'call', operator, args: operands.map(({ node }) => node), at }
}

function checkLogic(
  { symbol, at }: OperatorSyntax,
  operands: readonly TypedNode[],
  context: CheckContext,
): TypedNode | undefined {
  const odd = operands.find(({ type }) => type !== 'bool')
  if (!odd) return { node: buildCall(symbol, operands, at), type: 'bool' }
  const hint = `both sides of ${symbol} must be bool, and this is ${formatType(odd.type)}`
  return addNoOverload(context, odd.node, {
    name: formatOperatorName(symbol, 2),
    args: operands,
    hint,
  })
}

function checkChoice(
  syntax: OperatorSyntax,
  operands: readonly TypedNode[],
  context: CheckContext,
): TypedNode | undefined {
  const [condition, one, other] = operands
  if (!condition || !one || !other) return undefined
  if (condition.type === 'bool' && one.type === other.type && !findItemType(one.type)) {
    return { node: buildCall('?:', operands, syntax.at), type: one.type }
  }
  const hint = 'the condition must be bool and both branches of one type'
  return addNoOverload(context, syntax, { name: formatOperatorName('?:', 3), args: operands, hint })
}

const comparisons = new Set(['==', '!=', '<', '<=', '>', '>=', 'in'])
const numbers = new Set<string>(['int', 'double'])

/** `signal.existing_user == "true"`, `target.phone_number in list.block`: a bool needs no comparison. */
function suggestBoolTest(symbol: string, operands: readonly TypedNode[]): string | undefined {
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

function suggestOperands(symbol: string, types: readonly Type[]): string {
  const kinds = types.map((type) => findItemType(type) ?? type)
  const other = kinds.find((kind) => kind !== 'string')
  if (symbol === 'in' && types[1] !== undefined && !findItemType(types[1])) {
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
  if (types.some((type) => findItemType(type)) && symbol !== 'in') {
    return 'lists have in, size, exists and all'
  }
  return comparisons.has(symbol)
    ? 'both sides must be of one type'
    : `it takes ${listSignatures(symbol, types.length).join(' or ')}`
}

/** A literal other than an integer, checked. */
export function checkLiteral(
  syntax: Extract<Syntax, { kind: 'literal' }>,
  context: CheckContext,
): TypedNode | undefined {
  const { type, value, at } = syntax
  if (typeof value === 'string' && value.length > ruleLimits.literalChars) {
    const text = `the text is longer than ${ruleLimits.literalChars} characters`
    return addProblem(context, syntax, text)
  }
  return { node: { kind: 'literal', type, value, at }, type }
}

/** An integer, its sign included, checked: ints are exact only up to 2^53 - 1. */
export function checkInteger(
  value: bigint,
  spot: SourceRange,
  context: CheckContext,
): TypedNode | undefined {
  if (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER) {
    return addProblem(context, spot, `the int ${value} is beyond 9007199254740991 (2^53 - 1)`)
  }
  return { node: { kind: 'literal', type: 'int', value: Number(value), at: spot.at }, type: 'int' }
}

/** A list, checked: its items are of one type and no lists. */
export function checkList(
  syntax: Extract<Syntax, { kind: 'list' }>,
  context: CheckContext,
): TypedNode | undefined {
  const { items, at } = syntax
  if (items.length === 0) return addProblem(context, syntax, 'the list is empty')
  if (items.length > ruleLimits.listItems) {
    return addProblem(context, syntax, `the list has more than ${ruleLimits.listItems} items`)
  }
  const typed = checkOperands(items, context)
  const first = typed?.[0]
  if (!typed || !first) return undefined
  const odd = typed.find(({ type }) => type !== first.type)
  if (odd) {
    const text = `not ${formatType(first.type)} and ${formatType(odd.type)}`
    return addProblem(context, odd.node, `the items of a list must be of one type, ${text}`)
  }
  if (findItemType(first.type)) {
    return addProblem(context, first.node, 'a list cannot contain lists')
  }
  return {
    node: { kind: 'list', items: typed.map(({ node }) => node), at },
    type: `list<${first.type as ValueType}>`,
  }
}
