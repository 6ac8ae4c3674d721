/** Declares the expression tree of a rule, as stored and compiled, and visits its nodes. */

export const valueTypes = ['bool', 'int', 'double', 'string', 'timestamp', 'duration'] as const
export type ValueType = (typeof valueTypes)[number]

/** The start of a node's text: line and column, both from 1. */
export type Position = readonly [line: number, column: number]

export type Expression =
  | LiteralNode
  | ListNode
  | ReadNode
  | HasNode
  | VariableNode
  | CallNode
  | LoopNode

/**
 * A constant: `int` as a safe integer, `timestamp` and `duration` in milliseconds. A negative zero is `-(double)` of
 * zero.
 */
export interface LiteralNode {
  readonly kind: 'literal'
  readonly type: ValueType
  readonly value: string | number | boolean
  readonly at: Position
}

export interface ListNode {
  readonly kind: 'list'
  readonly items: readonly Expression[]
  readonly at: Position
}

/** Reads one name of the evidence; `convert` when the name is the argument of `int(…)`, `double(…)` and the like. */
export interface ReadNode {
  readonly kind: 'read'
  readonly name: string
  readonly convert?: Exclude<ValueType, 'string'>
  readonly at: Position
}

export type NameNode = ReadNode | HasNode

interface HasNode {
  readonly kind: 'has'
  readonly name: string
  readonly at: Position
}

/** The variable of an enclosing `exists` or `all`. */
interface VariableNode {
  readonly kind: 'variable'
  readonly name: string
  readonly at: Position
}

/** An operator or function applied to its arguments; `?:`, `&&`, `||`, `!` included. */
export interface CallNode {
  readonly kind: 'call'
  readonly operator: string
  readonly args: readonly Expression[]
  readonly at: Position
}

export interface LoopNode {
  readonly kind: 'exists' | 'all'
  readonly variable: string
  readonly list: Expression
  readonly body: Expression
  readonly at: Position
}

/** Ids of the functions that are answered before the run: their answers are evidence, also of constant arguments. */
export const inListId = 'inList(string, string)'
export const phoneCountryId = 'phoneCountry(string)'

/** The reads in order of appearance, each name and conversion once. `has` is not a read. */
export function listReads(expression: Expression): readonly ReadNode[] {
  const reads = new Map<string, ReadNode>()
  visitNodes(expression, (node) => {
    if (node.kind !== 'read') return
    const key = `${node.convert ?? ''} ${node.name}`
    if (!reads.has(key)) reads.set(key, node)
  })
  return [...reads.values()]
}

export function usesHas(expression: Expression): boolean {
  return expression.kind === 'has' || listChildren(expression).some(usesHas)
}

/** Whether the value does not depend on evidence, nor on variables of enclosing loops. */
export function isConstant(node: Expression, bound: ReadonlySet<string> = new Set()): boolean {
  if (node.kind === 'read' || node.kind === 'has') return false
  if (node.kind === 'call' && [inListId, phoneCountryId].includes(node.operator)) return false
  if (node.kind === 'variable') return bound.has(node.name)
  if (node.kind === 'exists' || node.kind === 'all') {
    return isConstant(node.list, bound) && isConstant(node.body, new Set(bound).add(node.variable))
  }
  return listChildren(node).every((child) => isConstant(child, bound))
}

/** Calls `visit` with every node in the order of the text. */
export function visitNodes(node: Expression, visit: (node: Expression) => void): void {
  visit(node)
  for (const child of listChildren(node)) visitNodes(child, visit)
}

export function countNodes(expression: Expression): number {
  return listChildren(expression).reduce((sum, child) => sum + countNodes(child), 1)
}

/** The nodes below a node, in the order of the text. */
export function listChildren(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case 'list':
      return node.items
    case 'call':
      return node.args
    case 'exists':
    case 'all':
      return [node.list, node.body]
    default:
      return []
  }
}
