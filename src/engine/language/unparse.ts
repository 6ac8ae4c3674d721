/** Formats an expression as canonical text: one text for equal expressions. */

import type { CallNode, Expression, LiteralNode, ReadNode } from './expression.ts'
import { callStyleOf } from './operators/operationTable.ts'
import { extKey } from './readableNames.ts'
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
      return literalText(node)
    case 'list':
      return `[${node.items.map(unparse).join(', ')}]`
    case 'read':
      return readText(node)
    case 'has':
      return `has(${nameText(node.name)})`
    case 'variable':
      return node.name
    case 'call':
      return callText(node)
    default:
      return `${unparse(node.list)}.${node.kind}(${node.variable}, ${unparse(node.body)})`
  }
}

/** The operator's name: its id without the types. */
function writtenName(operator: string): string {
  const bracket = operator.indexOf('(')
  return bracket === -1 ? operator : operator.slice(0, bracket)
}

function literalText({ type, value }: LiteralNode): string {
  if (type === 'timestamp') return `timestamp("${formatTimestamp(Number(value))}")`
  if (type === 'duration') return `duration("${formatDuration(Number(value))}")`
  if (type === 'string') return JSON.stringify(value)
  const text = String(value)
  return type === 'double' && /^-?\d+$/.test(text) ? `${text}.0` : text
}

function readText({ name, convert }: ReadNode): string {
  return convert === undefined ? nameText(name) : `${convert}(${nameText(name)})`
}

/** The name as written in a rule: in brackets when its key is no identifier. */
function nameText(name: string): string {
  const key = extKey(name)
  const plain = key === undefined || (/^[A-Za-z_]\w*$/.test(key) && !words.has(key))
  return plain ? name : `signal.ext[${JSON.stringify(key)}]`
}

const words = new Set(['true', 'false', 'null', 'in'])

function callText({ operator, args }: CallNode): string {
  const name = writtenName(operator)
  const binding = bindings.get(name)
  if (binding === undefined) return functionText(name, args)
  if (name === '?:') {
    const [condition, one, other] = args.map((arg) => operand(arg, 2))
    return `${condition} ? ${one} : ${other}`
  }
  const [first] = args
  if (args.length === 1 && first) return `${name}${operand(first, tightest)}`
  // sums and products are left-associative, so their left operand needs no brackets
  const leftMost = binding === 5 || binding === 6 ? binding : binding + 1
  const texts = args.map((arg, index) => operand(arg, index === 0 ? leftMost : binding + 1))
  return texts.join(` ${name} `)
}

function functionText(name: string, args: readonly Expression[]): string {
  const [first, ...rest] = args
  const asReceiver = callStyleOf(name) === 'receiver' || name === 'matches'
  if (!asReceiver || !first) return `${name}(${args.map(unparse).join(', ')})`
  return `${operand(first, tightest)}.${name}(${rest.map(unparse).join(', ')})`
}

/** The text of an operand, in brackets when its precedence is too low. */
function operand(node: Expression, least: number): string {
  const text = unparse(node)
  return bindingOf(node) < least ? `(${text})` : text
}

function bindingOf(node: Expression): number {
  if (node.kind === 'literal' && literalText(node).startsWith('-')) return unary
  if (node.kind !== 'call') return tightest
  const binding = bindings.get(writtenName(node.operator)) ?? tightest
  return node.args.length === 1 && binding < tightest ? unary : binding
}
