/** Compiles `inList(…)` lookups, and computes the values that a plan looks up in lists. */

import { type CallNode, listReads } from '../language/expression.ts'
import { readInListLookup } from '../language/inListLookups.ts'
import { requireCost } from '../language/operationCosts.ts'
import { inListId } from '../language/operators/domainFunctions.ts'
import { ruleLimits } from '../language/ruleLimits.ts'
import type { Evidence } from '../run/evidence.ts'
import type { CompileContext, CompiledExpression, Evaluator } from './compiledExpression.ts'
import { compileFailureName } from './compileFailureName.ts'
import { failRule, type Memory, spendSteps } from './planMemory.ts'

/** A lookup of a plan, answered before its rules run. */
export interface CompiledLookup {
  /** The name of the answer in the evidence. */
  readonly name: string
  /** The list by its name. */
  readonly list: string
  /** Computes the value once the memory is loaded and these slots are filled. */
  readonly run: Evaluator
  readonly slots: readonly number[]
}

/** A value to look up in a list; the answer is evidence under the name. */
export interface ListLookup {
  readonly name: string
  readonly list: string
  readonly value: string
}

/**
 * Compiles a lookup, which returns the answer in the evidence. When there is none, the name that the value is computed from is
 * reported. Throws when the plan has too many lookups.
 */
export function compileLookup(
  node: CallNode,
  of: CompiledExpression,
  scope: CompileContext,
): CompiledExpression {
  const lookup = readInListLookup(node)
  if (!lookup) throw new Error('a lookup without the name of its list')
  const { memory, slots, lookups, countsSteps } = scope
  const { name, list } = lookup
  const reads = listReads(lookup.of).map((read) => slots.getOrAddSlot(read.name, read.convert))
  if (!lookups.has(name) && lookups.size >= ruleLimits.planLookups)
    throw new Error('too many lookups')
  if (!lookups.has(name)) lookups.set(name, { name, list, run: of.run, slots: reads })
  const slot = slots.getOrAddSlot(name)
  const nameOfFailure = compileFailureName(node, scope)
  const { cells } = memory
  const steps = requireCost(inListId)(0, of.sizeMax) + of.stepsMax
  const run: Evaluator = () => {
    if (countsSteps && !spendSteps(memory, steps)) return false
    const answer = cells[slot]
    if (answer === undefined) failRule(memory, memory.hasFailed ? undefined : nameOfFailure())
    return answer === true
  }
  return { run, stepsMax: steps, sizeMax: 0 }
}

/** The lookups over the loaded evidence, without those whose name did not arrive or whose value fails. */
export function computeListLookups(
  lookups: Iterable<CompiledLookup>,
  memory: Memory,
  evidence: Evidence,
): readonly ListLookup[] {
  const asked: ListLookup[] = []
  for (const { name, list, run, slots } of lookups) {
    if (evidence.has(name) || slots.some((slot) => memory.cells[slot] === undefined)) continue
    const value = run()
    if (!memory.hasFailed && typeof value === 'string') asked.push({ name, list, value })
    memory.hasFailed = false
    memory.blockedBy = undefined
  }
  return asked
}
