/** Finds the subexpressions that guards (`has`) exclude when names are missing (design 5.3). */

import { type CallNode, childrenOf, type Expression } from './expression.ts'

/** The value of a condition as far as `has` alone decides it; undefined when it does not. */
export type GuardValue = (condition: Expression) => boolean | undefined

/**
 * Values of conditions for the names that arrived, each computed once. Only `!`, `&&`, `||` and `?:` propagate the answer of `has`;
 * literals and comparisons do not.
 */
export function guardValues(arrived: (name: string) => boolean): GuardValue {
  const known = new Map<Expression, boolean | undefined>()
  const decide: GuardValue = (node) => {
    if (node.kind === 'has') return arrived(node.name)
    if (node.kind !== 'call') return undefined
    if (!known.has(node)) known.set(node, callValue(node, decide))
    return known.get(node)
  }
  return decide
}

function callValue({ operator, args }: CallNode, decide: GuardValue): boolean | undefined {
  switch (operator) {
    case '!': {
      const [value] = args.map(decide)
      return value === undefined ? undefined : !value
    }
    case '&&':
    case '||':
      return chainValue(args, operator === '||', decide)
    case '?:': {
      const [condition, one, other] = args.map(decide)
      if (condition !== undefined) return condition ? one : other
      return one === other ? one : undefined
    }
    default:
      return undefined
  }
}

function chainValue(
  args: readonly Expression[],
  decisive: boolean,
  decide: GuardValue,
): boolean | undefined {
  let isOpen = false
  for (const arg of args) {
    const value = decide(arg)
    if (value === decisive) return decisive
    isOpen ||= value === undefined
  }
  return isOpen ? undefined : !decisive
}

/** The nodes below a node that a run can reach, in the order of the text. */
export function reachedChildren(node: Expression, decide: GuardValue): readonly Expression[] {
  if (node.kind !== 'call') return childrenOf(node)
  const { operator, args } = node
  const [condition, one, other] = args
  if (operator === '&&' || operator === '||') {
    const last = args.findIndex((arg) => decide(arg) === (operator === '||'))
    return last === -1 ? args : args.slice(0, last + 1)
  }
  if (operator !== '?:' || !condition || !one || !other) return args
  const value = decide(condition)
  return value === undefined ? args : [condition, value ? one : other]
}

/** The outermost subexpressions that no run reaches, whatever the values, for the names that arrived. */
export function unreachedParts(
  expression: Expression,
  arrived: (name: string) => boolean,
): ReadonlySet<Expression> {
  const unreached = new Set<Expression>()
  const decide = guardValues(arrived)
  const visit = (node: Expression): void => {
    const reached = reachedChildren(node, decide)
    for (const child of childrenOf(node)) {
      if (reached.includes(child)) visit(child)
      else unreached.add(child)
    }
  }
  visit(expression)
  return unreached
}
