/** Finds the parts of a rule that `has` calls exclude, and the first missing read (design 5.3). */

import { type Expression, listChildren, type ReadNode } from './expression.ts'

/** Whether the evidence has a value of this name. */
export type HasArrived = (name: string) => boolean

/** The outermost subexpressions that no run reaches, whatever the values, once every `has` is answered. */
export function findUnreachableNodes(
  expression: Expression,
  hasArrived: HasArrived,
): ReadonlySet<Expression> {
  const unreached = new Set<Expression>()
  const visit = (node: Expression): void => {
    const reached = new Set(listReachedChildren(node, hasArrived))
    for (const child of listChildren(node)) {
      if (reached.has(child)) visit(child)
      else unreached.add(child)
    }
  }
  visit(expression)
  return unreached
}

/** The first read, in order of appearance, that is reached and whose value is missing. */
export function findMissingRead(
  node: Expression,
  hasArrived: HasArrived,
  isMissing: (read: ReadNode) => boolean,
): ReadNode | undefined {
  if (node.kind === 'read') return isMissing(node) ? node : undefined
  for (const child of listReachedChildren(node, hasArrived)) {
    const missing = findMissingRead(child, hasArrived, isMissing)
    if (missing) return missing
  }
  return undefined
}

/** The nodes below a node that guards let be reached, in order of appearance. */
export function listReachedChildren(
  node: Expression,
  hasArrived: HasArrived,
): readonly Expression[] {
  if (node.kind !== 'call') return listChildren(node)
  const { operator, args } = node
  if (operator === '&&' || operator === '||') {
    const decisive = operator === '||'
    const last = args.findIndex((arg) => decideByPresence(arg, hasArrived) === decisive)
    return last === -1 ? args : args.slice(0, last + 1)
  }
  const [condition, one, other] = args
  if (operator !== '?:' || !condition || !one || !other) return args
  const value = decideByPresence(condition, hasArrived)
  return value === undefined ? args : [condition, value ? one : other]
}

/**
 * The value of a condition as far as `has` alone decides it; undefined when it does not. Only `!`, `&&`, `||` and `?:` propagate the
 * answer of `has`; literals and comparisons do not.
 */
function decideByPresence(node: Expression, hasArrived: HasArrived): boolean | undefined {
  if (node.kind === 'has') return hasArrived(node.name)
  if (node.kind !== 'call' || !['!', '&&', '||', '?:'].includes(node.operator)) return undefined
  const values = node.args.map((arg) => decideByPresence(arg, hasArrived))
  const [first, one, other] = values
  if (node.operator === '!') return first === undefined ? undefined : !first
  if (node.operator !== '?:') return decideChain(values, node.operator === '||')
  if (first === undefined) return one === other ? one : undefined
  return first ? one : other
}

function decideChain(
  values: readonly (boolean | undefined)[],
  decisive: boolean,
): boolean | undefined {
  if (values.includes(decisive)) return decisive
  return values.includes(undefined) ? undefined : !decisive
}
