/** Compiles `inList(…)` lookups, and lists which values a plan asks of which lists. */

import { type CallNode, readsOf } from '../language/expression.ts'
import { limits } from '../language/limits.ts'
import { lookupOf } from '../language/lookups.ts'
import { inListId } from '../language/operators/domainFunctions.ts'
import type { Evidence } from '../run/evidence.ts'
import { blameOf } from './blame.ts'
import type { Compiled, Scope, Thunk } from './compiled.ts'
import { fail, type Memory, spend } from './memory.ts'

/** A lookup of a plan, whose value is to be had before its rules run. */
export interface CompiledLookup {
  /** What the answer is called in the evidence. */
  readonly name: string
  /** The list by its name. */
  readonly list: string
  /** Of the value, once the memory is loaded and these slots are filled. */
  readonly run: Thunk
  readonly slots: readonly number[]
}

/** Which list is asked for what; the answer is evidence under the name. */
export interface AskedList {
  readonly name: string
  readonly list: string
  readonly value: string
}

/**
 * The closures of a lookup, which returns the answer in the evidence. Without one, because the list has no values of that form or the value
 * could not be computed, the name it is computed from is reported. Throws when the plan has too many lookups.
 */
export function compileLookup(node: CallNode, of: Compiled, scope: Scope): Compiled {
  const lookup = lookupOf(node)
  if (!lookup) throw new Error('a lookup without the name of its list')
  const { memory, slots, semantics, lookups, counted } = scope
  const { name, list } = lookup
  const reads = readsOf(lookup.of).map((read) => slots.slotOf(read.name, read.convert))
  if (!lookups.has(name) && lookups.size >= limits.planLookups) throw new Error('too many lookups')
  if (!lookups.has(name)) lookups.set(name, { name, list, run: of.run, slots: reads })
  const slot = slots.slotOf(name)
  const blame = blameOf(node, scope)
  const { cells } = memory
  const steps = semantics.charges.costOf(inListId)(0, of.size) + of.steps
  const run: Thunk = () => {
    if (counted && !spend(memory, steps)) return false
    const answer = cells[slot]
    if (answer === undefined) fail(memory, memory.failed ? undefined : blame())
    return answer === true
  }
  return { run, steps, size: 0 }
}

/** What the lookups ask over the evidence that is loaded: nothing for a name that did not arrive, nor for a function that fails. */
export function askedLists(
  lookups: Iterable<CompiledLookup>,
  memory: Memory,
  evidence: Evidence,
): readonly AskedList[] {
  const asked: AskedList[] = []
  for (const { name, list, run, slots } of lookups) {
    if (evidence.has(name) || slots.some((slot) => memory.cells[slot] === undefined)) continue
    const value = run()
    if (!memory.failed && typeof value === 'string') asked.push({ name, list, value })
    memory.failed = false
    memory.blockedBy = undefined
  }
  return asked
}
