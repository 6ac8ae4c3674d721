/** One line of the table: what was measured, against what, and whether it is as good as it was meant to be. */

import type { Machine } from './machine.ts'
import { quantile, type Spread, spreadOf } from './statistics.ts'

/** What a figure must not exceed, or must reach. */
export interface Target {
  readonly bound: 'at most' | 'at least'
  readonly value: number
}

/** A figure before it is measured. */
export interface Question {
  readonly name: string
  /** What it is compared with. */
  readonly against: string
  readonly unit: string
  readonly target: Target
  /** The share of the rounds that are at most the figure: half of them unless given. */
  readonly share?: number
}

export interface Figure {
  readonly name: string
  readonly against: string
  /** The median of the rounds, or the quantile that its name says. */
  readonly value: number
  readonly unit: string
  readonly target: number
  readonly bound: Target['bound']
  readonly holds: boolean
  /** Quartiles and extremes of the rounds. */
  readonly spread: Spread
  readonly rounds: number
  /** Absolute numbers of the two sides, and what a reader has to know of this run. */
  readonly notes: readonly string[]
}

/** A figure as it is written to the results. */
export interface RecordedFigure extends Figure {
  /** The benchmark that measured it. */
  readonly part: string
  readonly machine: Machine
}

/** The figure of the values of all rounds. Throws when there is none. */
export function figureOf(
  { name, against, unit, target, share = 0.5 }: Question,
  values: readonly number[],
  notes: readonly string[] = [],
): Figure {
  const spread = spreadOf(values)
  const value = quantile(values, share)
  return {
    name,
    against,
    value,
    unit,
    target: target.value,
    bound: target.bound,
    holds: target.bound === 'at most' ? value <= target.value : value >= target.value,
    spread,
    rounds: values.length,
    notes,
  }
}
