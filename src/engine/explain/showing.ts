/** How the parts of a rule are shown: their text and place, what they gave, and how many may be shown. */

import type { Expression, Place } from '../language/expression.ts'
import { typeOf } from '../language/typeOf.ts'
import { unparser } from '../language/unparse.ts'
import { durationText, timestampText } from '../language/values/time.ts'
import type { Cell, Value } from '../language/values/value.ts'

/**
 * `missing`: did not arrive, or cannot be told without what did not. `failed`: could not be computed. `not_evaluated`: the rule did
 * not run, or its tree is too large.
 */
export type TraceState = 'value' | 'missing' | 'failed' | 'not_evaluated'

/** A part of a rule and what it gave. */
export interface Trace {
  readonly text: string
  readonly line: number
  readonly column: number
  readonly state: TraceState
  /** Times in their text form. */
  readonly value?: Value
  /** False when the rule came to its result without this part, which was computed only to be shown. */
  readonly needed?: false
  readonly parts?: readonly Trace[]
}

export interface Traced {
  readonly trace: Trace
  readonly value: Value | undefined
}

/** What an explanation may still cost. */
export interface TraceMeans {
  /** Parts; one that shows a long value counts as several. */
  parts: number
  /** What running rules again takes. */
  steps: number
}

export interface Showing {
  readonly budget: TraceMeans
  readonly traceOf: (
    node: Expression,
    state: TraceState,
    found?: Pick<Trace, 'value' | 'parts'>,
  ) => Traced
  /** A part that gave this; undefined where it failed. */
  readonly given: (node: Expression, value: Value | undefined, parts?: readonly Trace[]) => Traced
}

const textMax = 200

/** Shows the parts of one rule. */
export function newShowing(budget: TraceMeans): Showing {
  const textOf = unparser()

  const traceOf: Showing['traceOf'] = (node, state, found = {}) => {
    const [line, column]: Place = node.at
    const { parts, ...rest } = found
    const text = textOf(node).slice(0, textMax)
    const below = parts && parts.length > 0 && { parts }
    return { trace: { text, line, column, state, ...rest, ...below }, value: undefined }
  }

  const given: Showing['given'] = (node, value, parts) => {
    if (value === undefined) return traceOf(node, 'failed', parts && { parts })
    // each part that a long value passes through shows it again
    budget.parts -= Math.floor(charsOf(value) / textMax)
    const traced = traceOf(node, 'value', { value: shown(node, value), ...(parts && { parts }) })
    return { ...traced, value }
  }

  return { budget, traceOf, given }
}

function charsOf(value: Value): number {
  if (typeof value === 'string') return value.length
  if (!Array.isArray(value)) return 0
  return (value as readonly Cell[]).reduce((sum: number, item) => sum + charsOf(item) + 4, 0)
}

function shown(node: Expression, value: Value): Value {
  if (typeof value !== 'number') return value
  const type = typeOf(node)
  if (type === 'timestamp') return timestampText(value)
  return type === 'duration' ? durationText(value) : value
}
