/** Declares the events that count what happened before a counter came into force. */

import { asSchemaOf, type TypeOf } from '../../domain/jsonSchema.ts'
import { defineNonPersonalEvent, type EventOf } from '../recording/eventDefinition.ts'
import {
  epochMs,
  integer,
  integerFrom,
  list,
  nonEmptyString,
  number,
  object,
  tuple,
} from '../recording/eventSchema.ts'

export function counterWarmUpStream(account: string): string {
  return `counter_warm_up-${account}`
}

const position = integerFrom(0)

/**
 * A series, and when it came into force. What had counted in it by an earlier time in force: up to the position
 * `floor`, from the time `from_ms` on.
 */
const warmedSeries = object(
  { id: nonEmptyString, since: epochMs },
  { floor: position, from_ms: epochMs },
)
export type WarmedSeries = TypeOf<typeof warmedSeries>

/** When something counts, in units of ten seconds, and what is counted as in a `Tally`. */
const counted = tuple(
  integer,
  asSchemaOf<string | number | null>({ type: ['string', 'integer', 'null'] }),
)
/** What counts in a series under a key, each of them once in an event. */
const entry = tuple(nonEmptyString, nonEmptyString, list(counted))
export type WarmedEntry = TypeOf<typeof entry>

const cursor = object({ id: nonEmptyString, values: list(number) })

export const counterWarmUpEvents = {
  /**
   * Evaluations up to the position `cut` that do not say themselves what they count in. From now on those later than
   * `from_ms` are counted: all of them when it is 0. `after` is where the next ones begin.
   */
  CounterWarmed: defineNonPersonalEvent(
    { series: list(warmedSeries), cut: position, from_ms: epochMs, entries: list(entry) },
    { after: cursor },
  ),
}

export type CounterWarmUpEvent = EventOf<typeof counterWarmUpEvents>
export type CounterWarmed = CounterWarmUpEvent['data']

/** What is known of the warm-ups of an account. */
export interface WarmUpState {
  /** The last step. */
  last: CounterWarmed | undefined
  /** By the id of the series. */
  readonly runs: Map<string, WarmUpRun>
}

/** How far a series was counted when it was warmed last. */
interface WarmUpRun extends Pick<CounterWarmed, 'cut' | 'from_ms'> {
  readonly since: number
}

/** Folds in place. */
export function evolveWarmUps(state: WarmUpState, { data }: CounterWarmUpEvent): WarmUpState {
  state.last = data
  for (const one of data.series) {
    state.runs.set(one.id, {
      since: one.since,
      cut: data.cut,
      from_ms: findWarmedFrom(data, one),
    })
  }
  return state
}

/** Later than this everything in the series is counted: 0 for all. */
export function findWarmedFrom(
  { from_ms }: Pick<CounterWarmed, 'from_ms'>,
  { from_ms: before = 0 }: WarmedSeries,
): number {
  return Math.max(from_ms, before)
}
