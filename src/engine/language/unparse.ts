/** Formats an expression as canonical text: one text for equal expressions. */

import { readCounter } from './counters.ts'
import type { CallNode, Expression, LiteralNode, ReadNode } from './expression.ts'
import { findCallStyle } from './operators/operationTable.ts'
import { formatWrittenName } from './readableNames.ts'
import { formatDuration, formatTimestamp } from './values/time.ts'

/** The precedence of operators, lowest first. */
const bindings: ReadonlyMap<string, number> = new Map([
  ['?:', 1],
  ['||', 2],
  ['&&', 3],
  ...['==', '!=', '<', '<=', '>', '>=', 'in'].map((symbol) => [symbol, 4] as const),
  ...['+', '-'].map((symbol) => [symbol, 5] as const),
  ...['*', '/', '%'].map((symbol) => [symbol, 6] as const),
  ['!', 7],
])
const unary = 7
const tightest = 8

/** The canonical text of an expression: parsed again, it gives the same expression except for positions. */
export function unparse(node: Expression): string {
  switch (node.kind) {
    case 'literal':
      return formatLiteral(node)
    case 'list':
      return `[${node.items.map(unparse).join(', ')}]`
    case 'read':
      return formatRead(node)
    case 'has':
      return `has(${formatWrittenName(node.name)})`
    case 'variable':
      return node.name
    case 'call':
      return formatCall(node)
    default:
      return `${unparse(node.list)}.${node.kind}(${node.variable}, ${unparse(node.body)})`
  }
}

/** The operator's name: its id without the types. */
function formatOperator(operator: string): string {
  const bracket = operator.indexOf('(')
  return bracket === -1 ? operator : operator.slice(0, bracket)
}

function formatLiteral({ type, value }: LiteralNode): string {
  if (type === 'timestamp') return `timestamp("${formatTimestamp(Number(value))}")`
  if (type === 'duration') return `duration("${formatDuration(Number(value))}")`
  if (type === 'string') return JSON.stringify(value)
  const text = String(value)
  return type === 'double' && /^-?\d+$/.test(text) ? `${text}.0` : text
}

function formatRead({ name, convert }: ReadNode): string {
  return convert === undefined ? formatWrittenName(name) : `${convert}(${formatWrittenName(name)})`
}

function formatCall(node: CallNode): string {
  const counter = readCounter(node)
  if (counter) return counter.name
  const { operator, args } = node
  const name = formatOperator(operator)
  const binding = bindings.get(name)
  if (binding === undefined) return formatFunction(name, args)
  if (name === '?:') {
    const [condition, one, other] = args.map((arg) => formatOperand(arg, 2))
    return `${condition} ? ${one} : ${other}`
  }
  const [first] = args
  if (args.length === 1 && first) return `${name}${formatOperand(first, tightest)}`
  // sums and products are left-associative, so their left operand needs no brackets
  const leftMost = binding === 5 || binding === 6 ? binding : binding + 1
  const texts = args.map((arg, index) => formatOperand(arg, index === 0 ? leftMost : binding + 1))
  return texts.join(` ${name} `)
}

function formatFunction(name: string, args: readonly Expression[]): string {
  const [first, ...rest] = args
  const asReceiver = findCallStyle(name) === 'receiver' || name === 'matches'
  if (!asReceiver || !first) return `${name}(${args.map(unparse).join(', ')})`
  return `${formatOperand(first, tightest)}.${name}(${rest.map(unparse).join(', ')})`
}

/** The text of an operand, in brackets when its precedence is too low. */
function formatOperand(node: Expression, least: number): string {
  const text = unparse(node)
  return findBinding(node) < least ? `(${text})` : text
}

function findBinding(node: Expression): number {
  if (node.kind === 'literal' && formatLiteral(node).startsWith('-')) return unary
  if (node.kind !== 'call') return tightest
  const binding = bindings.get(formatOperator(node.operator)) ?? tightest
  return node.args.length === 1 && binding < tightest ? unary : binding
}
