/** What a rule reads: known from its text alone (design 4.3). */

import type { Expression, ReadNode } from './expression.ts'

/** The reads in order of appearance, each name and conversion once. `has` is not a read. */
export function readsOf(expression: Expression): readonly ReadNode[] {
  const reads = new Map<string, ReadNode>()
  collect(expression, (node) => {
    if (node.kind !== 'read') return
    const key = `${node.convert ?? ''} ${node.name}`
    if (!reads.has(key)) reads.set(key, node)
  })
  return [...reads.values()]
}

/** Whether it asks with `has` what arrived. */
export function asksFor(expression: Expression): boolean {
  return expression.kind === 'has' || childrenOf(expression).some(asksFor)
}

/** Whether the expression gives the same whatever arrives; the variable of a loop around it counts as something that arrives. */
export function isConstant(node: Expression, bound: ReadonlySet<string> = new Set()): boolean {
  if (node.kind === 'read' || node.kind === 'has') return false
  if (node.kind === 'variable') return bound.has(node.name)
  if (node.kind === 'exists' || node.kind === 'all') {
    return isConstant(node.list, bound) && isConstant(node.body, new Set(bound).add(node.variable))
  }
  return childrenOf(node).every((child) => isConstant(child, bound))
}

/** Calls `visit` with every node in the order of the text. */
export function collect(node: Expression, visit: (node: Expression) => void): void {
  visit(node)
  for (const child of childrenOf(node)) collect(child, visit)
}

/** The nodes below a node, in the order of the text. */
export function childrenOf(node: Expression): readonly Expression[] {
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
