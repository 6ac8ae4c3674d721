/** Projects what counters of rules count: a document for each account, series and key. */

import {
  type CounterWarmed,
  type CounterWarmUpEvent,
  findWarmedFrom,
} from '../../events/evaluation/counterWarmUp.ts'
import type { EvaluationEvent } from '../../events/evaluation/evaluationEvents.ts'
import type { FeedbackEvent } from '../../events/feedback/feedbackEvents.ts'
import type { DispatchEvent } from '../../events/signals/dispatch.ts'
import { defineCollection, defineExpiry, defineProjection } from '../running/projection.ts'
import { addCounted, type CounterDocument, toUnits } from './counterGrains.ts'

const identity = { name: 'counters', version: 3 } as const
export const counterCollection = defineCollection<CounterDocument>({
  projection: identity,
  indexes: [['ends_at']],
})

/** By `buildCounterId` without a key: how far what happened before the series came into force is counted. */
export interface WarmUpDocument {
  /** When it came into force, in milliseconds since the Unix epoch. */
  readonly since: number
  /** Everything later is counted, likewise; 0 when all is. */
  readonly from: number
}

export const warmUpCollection = defineCollection<WarmUpDocument>({
  projection: identity,
  name: 'counter_warm_ups',
})

type Counting = Extract<EvaluationEvent, { type: 'FlowEvaluated' }> | DispatchEvent | FeedbackEvent
type Event = Counting | CounterWarmUpEvent

export const countersProjection = defineProjection<Event, CounterDocument | WarmUpDocument>({
  ...identity,
  collections: [counterCollection, warmUpCollection],
  eventTypes: ['FlowEvaluated', 'SignalsDispatched', 'FeedbackReceived', 'CounterWarmed'],
  expiries: [defineExpiry({ collection: counterCollection, field: 'ends_at' })],
  targets: ({ event, metadata: { account } }) =>
    event.type === 'CounterWarmed'
      ? listWarmedTargets(account, event.data)
      : (event.data.tallies ?? []).map(([series, key]) => ({
          collection: counterCollection,
          id: buildCounterId(series, key),
        })),
  apply: (document, { event, metadata: { account, time: recordedMs } }, { collection, id }) => {
    if (event.type === 'CounterWarmed' && collection === warmUpCollection) {
      return toWarmUpDocument(account, event.data, id)
    }
    const before = document as CounterDocument | undefined
    const [ofSeries, ofKey] = id.split('/')
    const isOwn = ([series, key]: readonly [string, string, unknown]) =>
      series === ofSeries && key === ofKey
    if (event.type === 'CounterWarmed') {
      const [, , entries] = event.data.entries.find(isOwn) ?? notCounted()
      return addCounted(before, { recordedMs, entries })
    }
    const [, , counted] = event.data.tallies?.find(isOwn) ?? notCounted()
    const unit = toUnits(readCountedTime(event, recordedMs))
    return addCounted(before, { recordedMs, entries: [[unit, counted]] })
  },
})

function notCounted(): never {
  throw new Error('an event does not count in what it says')
}

function listWarmedTargets(account: string, { series, entries }: CounterWarmed) {
  const ids = new Set(entries.map(([id, key]) => buildCounterId(id, key)))
  return [
    ...[...ids].map((id) => ({ collection: counterCollection, id })),
    ...series.map(({ id }) => ({ collection: warmUpCollection, id: buildWarmUpId(account, id) })),
  ]
}

function toWarmUpDocument(account: string, data: CounterWarmed, id: string): WarmUpDocument {
  const own = data.series.find((one) => id === buildWarmUpId(account, one.id))
  if (!own) throw new Error('a warm-up is not of the series that it names')
  return { since: own.since, from: findWarmedFrom(data, own) }
}

/** The ids of documents: of what counts under a key, whose digest is of its account, and of the warm-up of a series. */
export function buildCounterId(series: string, key: string): string {
  return `${series}/${key}`
}

export function buildWarmUpId(account: string, series: string): string {
  return `${account}/${series}`
}

/** When the event counts: when it was recorded, or occurred if it was imported; milliseconds since the Unix epoch. */
function readCountedTime(event: Counting, recordedMs: number): number {
  return event.type === 'FlowEvaluated' ? (event.data.occurred_at ?? recordedMs) : recordedMs
}
