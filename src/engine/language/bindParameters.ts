/** Replaces parameters (`param.<name>`) in an expression by their values. */

import type { Expression, LiteralNode, Position } from './expression.ts'
import { parseParameterName } from './readableNames.ts'

export type ParameterLiteral = Pick<LiteralNode, 'type' | 'value'>

/**
 * The expression with every `param.<name>` replaced by its value; `has(param.<name>)` is true. Undefined when a parameter has no value, or
 * is the argument of a conversion: such a rule cannot run.
 */
export function bindParameters(
  node: Expression,
  values: ReadonlyMap<string, ParameterLiteral>,
): Expression | undefined {
  switch (node.kind) {
    case 'read':
    case 'has':
      return bindName(node, values)
    case 'list': {
      const items = bindAll(node.items, values)
      return items && { ...node, items }
    }
    case 'call': {
      const args = bindAll(node.args, values)
      return args && { ...node, args }
    }
    case 'exists':
    case 'all': {
      const [list, body] = bindAll([node.list, node.body], values) ?? []
      return list && body && { ...node, list, body }
    }
    default:
      return node
  }
}

function bindName(
  node: Extract<Expression, { kind: 'read' | 'has' }>,
  values: ReadonlyMap<string, ParameterLiteral>,
): Expression | undefined {
  const name = parseParameterName(node.name)
  if (name === undefined) return node
  const value = values.get(name)
  if (!value || (node.kind === 'read' && node.convert)) return undefined
  if (node.kind === 'has') return { kind: 'literal', type: 'bool', value: true, at: node.at }
  return buildLiteralNode(value, node.at)
}

/** A negative zero becomes an operation, since plans are stored as JSON, which has no negative zero. */
function buildLiteralNode({ type, value }: ParameterLiteral, at: Position): Expression {
  if (!Object.is(value, -0)) return { kind: 'literal', type, value, at }
  const zero: LiteralNode = { kind: 'literal', type, value: 0, at }
  return { kind: 'call', operator: '-(double)', args: [zero], at }
}

function bindAll(
  nodes: readonly Expression[],
  values: ReadonlyMap<string, ParameterLiteral>,
): readonly Expression[] | undefined {
  const bound = nodes.map((node) => bindParameters(node, values))
  return bound.every((node) => node !== undefined) ? bound : undefined
}
