/** Declares counters (`count`, `distinct`, `sum` over a window), and finds those of a rule. */

import { hash } from 'node:crypto'
import { feedbackTypes } from '../../domain/evaluation/feedback.ts'
import type { CallNode, Expression } from './expression.ts'
import { unparse } from './unparse.ts'

/** What counters count: evaluations, those that flagged, dispatches of the front end, feedback by its type. */
export const counterSources = ['evaluations', 'flagged', 'dispatches', ...feedbackTypes] as const
export type CounterSource = (typeof counterSources)[number]

const [second, minute, hour] = [1_000, 60_000, 3_600_000]

/** Every window, by its name in rules. */
export const counterWindowsMs = Object.freeze({
  '10m': 10 * minute,
  '1h': hour,
  '24h': 24 * hour,
  '7d': 7 * 24 * hour,
  '30d': 30 * 24 * hour,
})
export type CounterWindow = keyof typeof counterWindowsMs

/** How long events arrive late at most, by which a counter's window must be longer than its history. */
export const counterSlackMs = 10 * second

export const counterKinds = ['count', 'distinct', 'sum'] as const
export type CounterKind = (typeof counterKinds)[number]

export const counterPartFunctions = ['network', 'emailDomain', 'phoneCountry', 'prefix'] as const
export type CounterPartFunction = (typeof counterPartFunctions)[number]

/** A part of a counter's key: a name, or a function of one. */
export interface CounterPart {
  readonly name: string
  readonly function?: CounterPartFunction
  /** Of `prefix`: the characters that are kept. */
  readonly chars?: number
}

/** What is kept of counters whatever their window. */
export interface CounterSeries {
  /** The first characters of the digest of the text. */
  readonly id: string
  /** Canonical: `distinct(evaluations, target.phone_number, by(signal.device_id))`. */
  readonly text: string
  readonly kind: CounterKind
  readonly source: CounterSource
  /** The name whose values are told apart or summed up; undefined for `count`. */
  readonly measured?: string
  readonly by: readonly CounterPart[]
}

/** A counter as a rule has it. */
export interface CounterCall {
  /** The call in canonical text, under which the answer stands in the evidence. */
  readonly name: string
  readonly series: CounterSeries
  readonly window: CounterWindow
}

const seriesIdChars = 12

/** Ids of the calls in stored expressions. */
export const counterOperators: Readonly<Record<CounterKind, string>> = Object.freeze({
  count: 'count(source, by, window)',
  distinct: 'distinct(source, name, by, window)',
  sum: 'sum(source, int, by, window)',
})
export const byOperator = 'by(parts)'
export const partOperators: Readonly<Record<CounterPartFunction, string>> = Object.freeze({
  network: 'network(string)',
  emailDomain: 'emailDomain(string)',
  phoneCountry: 'phoneCountry(string)',
  prefix: 'prefix(string, int)',
})

/** The counters of a rule, each once, in order of appearance. */
export function listCounters(expression: Expression): readonly CounterCall[] {
  return []
}
