/** Builds guards (`has`), and finds the parts that they exclude for missing names (design 5.3). */

import { type CallNode, childrenOf, type Expression } from './expression.ts'

/** The value of a condition as far as `has` alone decides it; undefined when it does not. */
export type Guard = () => boolean | undefined

/** Makes the test whether a name arrived. */
export type ArrivedTest = (name: string) => () => boolean

/**
 * The guard of a condition; undefined when `has` cannot decide it. Only `!`, `&&`, `||` and `?:` propagate the answer of `has`; literals
 * and comparisons do not.
 */
export function guardOf(node: Expression, askOf: ArrivedTest): Guard | undefined {
  if (node.kind === 'has') return askOf(node.name)
  if (node.kind !== 'call' || !passesOn(node)) return undefined
  const guards = node.args.map((arg) => guardOf(arg, askOf))
  if (guards.every((guard) => guard === undefined)) return undefined
  if (node.operator === '!') return negation(guards)
  return node.operator === '?:' ? choice(guards) : chain(guards, decidingValue(node))
}

/** The value of one operand that decides a chain. */
export function decidingValue({ operator }: CallNode): boolean {
  return operator === '||'
}

/** The outermost subexpressions that no run reaches, whatever the values, once every `has` is answered. */
export function listUnreachedNodes(
  expression: Expression,
  arrived: (name: string) => boolean,
): ReadonlySet<Expression> {
  const unreached = new Set<Expression>()
  const decide: GuardValue = (node) => guardOf(node, (name) => () => arrived(name))?.()
  const visit = (node: Expression): void => {
    const cut = node.kind === 'call' ? operandsCutOff(node, decide) : []
    for (const child of childrenOf(node)) {
      if (cut.includes(child)) unreached.add(child)
      else visit(child)
    }
  }
  visit(expression)
  return unreached
}

function passesOn({ operator }: CallNode): boolean {
  return operator === '!' || operator === '&&' || operator === '||' || operator === '?:'
}

function negation([negated]: readonly (Guard | undefined)[]): Guard {
  return () => {
    const value = negated?.()
    return value === undefined ? undefined : !value
  }
}

function chain(guards: readonly (Guard | undefined)[], decisive: boolean): Guard {
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

function choice([condition, one, other]: readonly (Guard | undefined)[]): Guard {
  return () => {
    const value = condition?.()
    if (value !== undefined) return value ? one?.() : other?.()
    const either = one?.()
    return either === other?.() ? either : undefined
  }
}

type GuardValue = (node: Expression) => boolean | undefined

function operandsCutOff(node: CallNode, decide: GuardValue): readonly Expression[] {
  const { operator, args } = node
  if (operator === '&&' || operator === '||') {
    const decisive = decidingValue(node)
    const last = args.findIndex((arg) => decide(arg) === decisive)
    return last === -1 ? [] : args.slice(last + 1)
  }
  const [condition, one, other] = args
  if (operator !== '?:' || !condition) return []
  const value = decide(condition)
  const cut = value === undefined ? undefined : value ? other : one
  return cut ? [cut] : []
}
