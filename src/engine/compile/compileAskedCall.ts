/** Compiles calls that are answered before the run, and computes what a plan asks. */

import { readAskedCall } from '../language/askedCalls.ts'
import { type CounterCall, readCounter } from '../language/counters.ts'
import { type CallNode, type Expression, listReads } from '../language/expression.ts'
import { charges } from '../language/operationCosts.ts'
import { ruleLimits } from '../language/ruleLimits.ts'
import type { ScalarValue } from '../language/values/value.ts'
import type { CompileContext, CompiledExpression, Evaluator } from './compiledExpression.ts'
import { failRule, spendSteps } from './planMemory.ts'

/** A call of a plan, answered before its rules run. */
export interface CompiledAsk {
  readonly name: string
  readonly list: string | undefined
  readonly counter: CounterCall | undefined
  /** Computes the value once the memory is loaded and these slots are filled. */
  readonly run: Evaluator
  readonly slots: readonly number[]
}

/** A value that a plan asks something of; the answer is evidence under the name. */
export interface Ask {
  /** The call in canonical text: its function, its literal arguments, and the names that its value comes from. */
  readonly name: string
  /** The list by its name, for `inList`. */
  readonly list: string | undefined
  readonly counter: CounterCall | undefined
  /** What is asked about: of a counter its key, the values of its parts as JSON. */
  readonly value: string
}

export type ListLookup = Ask & { readonly list: string }
export type CounterAsk = Ask & { readonly counter: CounterCall }

export function isCounterAsk(ask: Ask): ask is CounterAsk {
  return ask.counter !== undefined
}

/** The slot of the call's answer; undefined when not answered before the run. Throws when the plan has too many. */
export function findAnswerSlot(
  node: CallNode,
  of: CompiledExpression | undefined,
  scope: CompileContext,
): number | undefined {
  const call = readAskedCall(node)
  if (!call || !of) return undefined
  const { name, list } = call
  addAsk(scope, call.of, { name, list, counter: undefined, run: of.run })
  return scope.slots.getOrAddSlot(name)
}

type NewAsk = Omit<CompiledAsk, 'slots'>

/** Adds what the plan asks about the value of a part, unless it asks so already. */
function addAsk({ asks, slots }: CompileContext, of: Expression, ask: NewAsk): void {
  if (asks.has(ask.name)) return
  const alike = [...asks.values()].filter((other) => kindOf(other) === kindOf(ask))
  if (alike.length >= ruleLimits.planLookups) throw new Error('too many calls')
  const reads = listReads(of).map((read) => slots.getOrAddSlot(read.name, read.convert))
  asks.set(ask.name, { ...ask, slots: reads })
}

function kindOf({ list, counter }: NewAsk): string {
  return counter ? 'counter' : list === undefined ? 'country' : 'list'
}

/**
 * Compiles a counter: its value is evidence. A part of its key that fails blocks the rule by its name; without an
 * answer the rule is unavailable, as no number would be true.
 */
export function compileCounter(
  node: CallNode,
  parts: readonly CompiledExpression[],
  scope: CompileContext,
): CompiledExpression {
  const counter = readCounter(node)
  if (!counter) throw new Error('a counter of another version')
  const { memory, slots, countsSteps } = scope
  const { name } = counter
  const key = () => parts.map((part) => part.run())
  addAsk(scope, node, { name, list: undefined, counter, run: () => JSON.stringify(key()) })
  const slot = slots.getOrAddSlot(name)
  const run = (): ScalarValue => {
    key()
    const value = memory.cells[slot]
    if (value === undefined) failRule(memory, undefined)
    return value ?? 0
  }
  const steps = charges.parts.counter
  return {
    run: countsSteps ? () => (spendSteps(memory, steps) ? run() : 0) : run,
    stepsMax: parts.reduce((sum, part) => sum + part.stepsMax, steps),
    sizeMax: 0,
  }
}
