/** Decides conditions from their `has` calls alone; finds parts that become unreachable by it. */

import { type CallNode, type Expression, listChildren } from './expression.ts'

/** The value of a condition as far as `has` alone decides it; undefined when it does not. */
export type PresenceCondition = () => boolean | undefined

type Conditions = readonly (PresenceCondition | undefined)[]

/**
 * The guard of a condition; undefined when `has` cannot decide it. Only `!`, `&&`, `||` and `?:` propagate the answer of `has`; literals
 * and comparisons do not. `testOf` makes the test whether a name arrived.
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
  return node.operator === '?:' ? choose(guards) : combineChain(guards, shortCircuitValue(node))
}

/** The value of one operand that decides a chain. */
export function shortCircuitValue({ operator }: CallNode): boolean {
  return operator === '||'
}

/** The outermost subexpressions that no run reaches, whatever the values, once every `has` is answered. */
export function findUnreachableNodes(
  expression: Expression,
  arrived: (name: string) => boolean,
): ReadonlySet<Expression> {
  const unreached = new Set<Expression>()
  const decide: GuardValue = (node) =>
    buildPresenceCondition(node, (name) => () => arrived(name))?.()
  const visit = (node: Expression): void => {
    const cut = node.kind === 'call' ? listCutOffOperands(node, decide) : []
    for (const child of listChildren(node)) {
      if (cut.includes(child)) unreached.add(child)
      else visit(child)
    }
  }
  visit(expression)
  return unreached
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

type GuardValue = (node: Expression) => boolean | undefined

function listCutOffOperands(node: CallNode, decide: GuardValue): readonly Expression[] {
  const { operator, args } = node
  if (operator === '&&' || operator === '||') {
    const decisive = shortCircuitValue(node)
    const last = args.findIndex((arg) => decide(arg) === decisive)
    return last === -1 ? [] : args.slice(last + 1)
  }
  const [condition, one, other] = args
  if (operator !== '?:' || !condition) return []
  const value = decide(condition)
  const cut = value === undefined ? undefined : value ? other : one
  return cut ? [cut] : []
}
