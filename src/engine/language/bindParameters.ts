/** Replaces parameters (`param.<name>`) in an expression by their values. */

import type { Expression, LiteralNode, NameNode } from './expression.ts'
import { parseParameterName } from './readableNames.ts'

export type ParameterLiteral = Pick<LiteralNode, 'type' | 'value'>

/**
 * The expression with every `param.<name>` replaced by its value; `has(param.<name>)` is true. Undefined when a
 * parameter has no value, or is the argument of a conversion: such a rule cannot run.
 */
export function bindParameters(
  rule: Expression,
  values: ReadonlyMap<string, ParameterLiteral>,
): Expression | undefined {
  let isBound = true
  const bind = (node: Expression): Expression => {
    switch (node.kind) {
      case 'read':
      case 'has': {
        const bound = bindName(node, values)
        isBound &&= bound !== undefined
        return bound ?? node
      }
      case 'list':
        return { ...node, items: node.items.map(bind) }
      case 'call':
        return { ...node, args: node.args.map(bind) }
      case 'exists':
      case 'all':
        return { ...node, list: bind(node.list), body: bind(node.body) }
      default:
        return node
    }
  }
  const bound = bind(rule)
  return isBound ? bound : undefined
}

function bindName(
  node: NameNode,
  values: ReadonlyMap<string, ParameterLiteral>,
): Expression | undefined {
  const { at } = node
  const name = parseParameterName(node.name)
  if (name === undefined) return node
  const literal = values.get(name)
  if (!literal || (node.kind === 'read' && node.convert)) return undefined
  if (node.kind === 'has') return { kind: 'literal', type: 'bool', value: true, at }
  const { type, value } = literal
  if (!Object.is(value, -0)) return { kind: 'literal', type, value, at }
  // an operation, since plans are stored as JSON, which has no negative zero
  return {
    kind: 'call',
    operator: '-(double)',
    args: [{ kind: 'literal', type, value: 0, at }],
    at,
  }
}
