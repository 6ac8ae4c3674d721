/** Compiles the check for missing evidence: the first needed read without value (design 5.3). */

import { type CallNode, type Expression, listChildren } from '../language/expression.ts'
import {
  buildPresenceCondition,
  type PresenceCondition,
  shortCircuitValue,
} from '../language/presenceConditions.ts'
import type { EvidenceSlots, Memory } from './planMemory.ts'

/** Returns the name of the first missing read that the guards let be reached. */
export type MissingCheck = () => string | undefined

interface MissingCheckScope {
  readonly memory: Memory
  readonly slots: EvidenceSlots
}

/**
 * The closure that checks the reads of an expression in order of appearance, ten times as fast as a walk; undefined without reads.
 */
export function compileMissingCheck(
  node: Expression,
  scope: MissingCheckScope,
): MissingCheck | undefined {
  if (node.kind === 'read') {
    const { cells } = scope.memory
    const slot = scope.slots.getOrAddSlot(node.name, node.convert)
    const { name } = node
    return () => (cells[slot] === undefined ? name : undefined)
  }
  const checks = listChildren(node).map((child) => compileMissingCheck(child, scope))
  if (checks.every((check) => check === undefined)) return undefined
  if (node.kind !== 'call' || !['&&', '||', '?:'].includes(node.operator))
    return checkInOrder(checks)
  const guards = node.args.map((arg) => compileGuard(arg, scope))
  return node.operator === '?:' ? checkChoice(checks, guards[0]) : checkChain(node, checks, guards)
}

type Checks = readonly (MissingCheck | undefined)[]

/** The operands until a guard decides the chain. */
function checkChain(
  node: CallNode,
  checks: Checks,
  guards: readonly (PresenceCondition | undefined)[],
): MissingCheck {
  const decisive = shortCircuitValue(node)
  return () => {
    for (let at = 0; at < checks.length; at++) {
      const missing = checks[at]?.()
      if (missing !== undefined) return missing
      if (guards[at]?.() === decisive) return undefined
    }
    return undefined
  }
}

/** The condition, and the branch that its guard chooses; both branches where it chooses none. */
function checkChoice(
  [condition, one, other]: Checks,
  guard: PresenceCondition | undefined,
): MissingCheck {
  const either = checkInOrder([one, other])
  return checkInOrder([
    condition,
    () => {
      const chosen = guard?.()
      const branch = chosen === undefined ? either : chosen ? one : other
      return branch?.()
    },
  ])
}

function checkInOrder(checks: Checks): MissingCheck {
  const some = checks.filter((check) => check !== undefined)
  const [first] = some
  if (first && some.length === 1) return first
  return () => {
    for (const check of some) {
      const missing = check()
      if (missing !== undefined) return missing
    }
    return undefined
  }
}

function compileGuard(
  node: Expression,
  { memory, slots }: MissingCheckScope,
): PresenceCondition | undefined {
  const { cells } = memory
  return buildPresenceCondition(node, (name) => {
    const slot = slots.getOrAddSlot(name)
    return () => cells[slot] !== undefined
  })
}
