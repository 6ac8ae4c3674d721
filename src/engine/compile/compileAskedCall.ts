/** Compiles calls that are answered before the run, and computes what a plan asks. */

import { readAskedCall } from '../language/askedCalls.ts'
import { type CallNode, listReads } from '../language/expression.ts'
import { ruleLimits } from '../language/ruleLimits.ts'
import type { CompileContext, CompiledExpression, Evaluator } from './compiledExpression.ts'

/** A call of a plan, answered before its rules run. */
export interface CompiledAsk {
  readonly name: string
  readonly list: string | undefined
  /** Computes the value once the memory is loaded and these slots are filled. */
  readonly run: Evaluator
  readonly slots: readonly number[]
}

/** A value that a plan asks something of; the answer is evidence under the name. */
export interface Ask {
  /** The call in canonical text: its function, its literal arguments, and the names that its value comes from. */
  readonly name: string
  /** The list by its name, for `inList`; undefined for `phoneCountry`. */
  readonly list: string | undefined
  readonly value: string
}

export type ListLookup = Ask & { readonly list: string }

/** The slot of the call's answer; undefined when not answered before the run. Throws when the plan has too many. */
export function findAnswerSlot(
  node: CallNode,
  of: CompiledExpression | undefined,
  scope: CompileContext,
): number | undefined {
  const call = readAskedCall(node)
  if (!call || !of) return undefined
  const { name, list } = call
  const { asks, slots } = scope
  if (!asks.has(name)) {
    const alike = [...asks.values()].filter((ask) => (ask.list === undefined) === !list)
    if (alike.length >= ruleLimits.planLookups) throw new Error('too many calls')
    const reads = listReads(call.of).map((read) => slots.getOrAddSlot(read.name, read.convert))
    asks.set(name, { name, list, run: of.run, slots: reads })
  }
  return slots.getOrAddSlot(name)
}
