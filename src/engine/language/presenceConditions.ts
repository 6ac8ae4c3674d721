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
  const decide = (arg: Expression) =>
    buildPresenceCondition(arg, (name) => () => hasArrived(name))?.()
  if (operator === '&&' || operator === '||') {
    const decisive = operator === '||'
    const last = args.findIndex((arg) => decide(arg) === decisive)
    return last === -1 ? args : args.slice(0, last + 1)
  }
  const [condition, one, other] = args
  if (operator !== '?:' || !condition || !one || !other) return args
  const value = decide(condition)
  return value === undefined ? args : [condition, value ? one : other]
}

/** The value of a condition as far as `has` alone decides it; undefined when it does not. */
export type PresenceCondition = () => boolean | undefined

type Conditions = readonly (PresenceCondition | undefined)[]

/**
 * The guard of a condition; undefined when `has` cannot decide it. Only `!`, `&&`, `||` and `?:` propagate the answer
 * of `has`; literals and comparisons do not. `testOf` makes the test whether a name arrived.
 */
export function buildPresenceCondition(
  node: Expression,
  testOf: (name: string) => () => boolean,
): PresenceCondition | undefined {
  if (node.kind === 'has') return testOf(node.name)
  if (node.kind !== 'call' || !['!', '&&', '||', '?:'].includes(node.operator)) return undefined
  const guards = node.args.map((arg) => buildPresenceCondition(arg, testOf))
  if (guards.every((guard) => guard === undefined)) return undefined
  if (node.operator === '!') return negate(guards)
  return node.operator === '?:' ? choose(guards) : combineChain(guards, node.operator === '||')
}

function negate([negated]: Conditions): PresenceCondition {
  return () => {
    const value = negated?.()
    return value === undefined ? undefined : !value
  }
}

function combineChain(guards: Conditions, decisive: boolean): PresenceCondition {
  const known = guards.filter((guard) => guard !== undefined)
  return () => {
    let open = known.length < guards.length
    for (const guard of known) {
      const value = guard()
      if (value === decisive) return decisive
      open ||= value === undefined
    }
    return open ? undefined : !decisive
  }
}

function choose([condition, one, other]: Conditions): PresenceCondition {
  return () => {
    const value = condition?.()
    if (value !== undefined) return value ? one?.() : other?.()
    const either = one?.()
    return either === other?.() ? either : undefined
  }
}
