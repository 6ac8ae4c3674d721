/** Projects what counters of rules count: a document for each account, series and key. */

import type { EvaluationEvent } from '../../events/evaluation/evaluationEvents.ts'
import type { FeedbackEvent } from '../../events/feedback/feedbackEvents.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { DispatchEvent } from '../../events/signals/dispatch.ts'
import { defineCollection, defineExpiry, defineProjection } from '../running/projection.ts'
import { addCounted, type CounterDocument } from './counterGrains.ts'

const identity = { name: 'counters', version: 1 } as const
export const counterCollection = defineCollection<CounterDocument>({
  projection: identity,
  indexes: [['ends_at']],
})

type Event = Extract<EvaluationEvent, { type: 'FlowEvaluated' }> | DispatchEvent | FeedbackEvent

export const countersProjection = defineProjection<Event, CounterDocument>({
  ...identity,
  collections: [counterCollection],
  eventTypes: ['FlowEvaluated', 'SignalsDispatched', 'FeedbackReceived'],
  expiries: [defineExpiry({ collection: counterCollection, field: 'ends_at' })],
  targets: ({ event: { data }, metadata: { account } }) =>
    (data.tallies ?? []).map(([series, key]) => ({
      collection: counterCollection,
      id: buildCounterId(account, series, key),
    })),
  apply: (document, decoded, { id }) => {
    const { event, metadata } = decoded
    const { account, time: recordedMs } = metadata
    const [, , counted] =
      event.data.tallies?.find(([series, key]) => id === buildCounterId(account, series, key)) ?? []
    if (counted === undefined) throw new Error('an event does not count what it says that it does')
    return addCounted(document, { timeMs: readCountedTime(decoded), recordedMs, counted })
  },
})

/** The id of a document. */
export function buildCounterId(account: string, series: string, key: string): string {
  return `${account}/${series}/${key}`
}

/** When the event counts, in milliseconds since the Unix epoch: when it was recorded, or occurred if it was imported. */
export function readCountedTime({
  event,
  metadata,
}: Pick<DecodedEvent<Event>, 'event' | 'metadata'>) {
  return event.type === 'FlowEvaluated' ? (event.data.occurred_at ?? metadata.time) : metadata.time
}
