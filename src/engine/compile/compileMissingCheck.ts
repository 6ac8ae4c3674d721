/** Compiles the check for missing evidence: the first needed read without value (design 5.3). */

import { type CallNode, childrenOf, type Expression } from '../language/expression.ts'
import {
  buildPresenceCondition,
  type PresenceCondition,
  type PresenceTest,
  shortCircuitValue,
} from '../language/presenceConditions.ts'
import type { RuleResult } from '../run/result.ts'
import type { EvidenceSlots, Memory } from './planMemory.ts'

/** Returns the result of a rule that misses evidence; undefined for one that can run. */
export type MissingCheck = () => RuleResult | undefined

export interface MissingCheckScope {
  readonly memory: Memory
  readonly slots: EvidenceSlots
  /** The result of the rule when a name is missing. */
  readonly blockedBy: (name: string) => RuleResult
}

/** The closure that checks the reads of an expression in order of appearance; undefined without reads. */
export function compileMissingCheck(
  node: Expression,
  scope: MissingCheckScope,
): MissingCheck | undefined {
  if (node.kind === 'read') {
    const { cells } = scope.memory
    const slot = scope.slots.slotOf(node.name, node.convert)
    const result = scope.blockedBy(node.name)
    return () => (cells[slot] === undefined ? result : undefined)
  }
  if (node.kind === 'call') {
    const { operator } = node
    if (operator === '&&' || operator === '||') return inChain(node, scope)
    if (operator === '?:') return inChoice(node, scope)
  }
  return inOrder(childrenOf(node).map((child) => compileMissingCheck(child, scope)))
}

/** The operands until a guard decides the chain. */
function inChain(node: CallNode, scope: MissingCheckScope): MissingCheck | undefined {
  const decisive = shortCircuitValue(node)
  const operands = node.args.map((arg) => ({
    waiting: compileMissingCheck(arg, scope),
    guard: compileGuard(arg, scope),
  }))
  if (operands.every(({ waiting }) => waiting === undefined)) return undefined
  return () => {
    for (const { waiting, guard } of operands) {
      const result = waiting?.()
      if (result) return result
      if (guard?.() === decisive) return undefined
    }
    return undefined
  }
}

/** The condition, and the branch that its guard chooses; both branches where it chooses none. */
function inChoice(node: CallNode, scope: MissingCheckScope): MissingCheck | undefined {
  const [condition, one, other] = node.args.map((arg) => compileMissingCheck(arg, scope))
  const guard = node.args[0] && compileGuard(node.args[0], scope)
  const either = inOrder([one, other])
  if (!guard) return inOrder([condition, either])
  return inOrder([
    condition,
    () => {
      const chosen = guard()
      const branch = chosen === undefined ? either : chosen ? one : other
      return branch?.()
    },
  ])
}

function inOrder(all: readonly (MissingCheck | undefined)[]): MissingCheck | undefined {
  const some = all.filter((waiting) => waiting !== undefined)
  const [first, ...more] = some
  if (!first || more.length === 0) return first
  return () => {
    for (const waiting of some) {
      const result = waiting()
      if (result) return result
    }
    return undefined
  }
}

function compileGuard(
  node: Expression,
  { memory, slots }: MissingCheckScope,
): PresenceCondition | undefined {
  const { cells } = memory
  const askOf: PresenceTest = (name) => {
    const slot = slots.slotOf(name)
    return () => cells[slot] !== undefined
  }
  return buildPresenceCondition(node, askOf)
}
