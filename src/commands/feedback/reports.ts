/** Records a batch of feedback or reported events in one append: all of it or nothing. */

import type { Call, Written } from '../../domain/call.ts'
import {
  confidences,
  type FeedbackType,
  type ReportedTarget,
  reportedTargetSchema,
} from '../../domain/evaluation/feedback.ts'
import { Failure } from '../../domain/failure.ts'
import { derivedIdAt } from '../../domain/ids.ts'
import { longWork, pause } from '../../domain/load/longWork.ts'
import { openObject, type TypeOf } from '../../domain/schema.ts'
import type { FeedbackSignals } from '../../domain/signals/signalSchemas.ts'
import { decode, encode } from '../../events/catalogue.ts'
import type {
  FeedbackContext,
  FeedbackEvent,
  ReportedEvent,
} from '../../events/feedback/feedback.ts'
import type { DecodedEvent, DomainEvent, EventContext } from '../../events/recording/event.ts'
import { lookupDigest } from '../../events/recording/lookupDigest.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'
import type { EventStore, NewEvent, RecordedEvent } from '../../stores/eventStore.ts'
import type { Context as Process } from '../handling/context.ts'
import { waitForSpareKeys } from '../handling/waitForSpareKeys.ts'
import { eventContextOf } from '../handling/write.ts'

/** Feedback after its checks: target and address canonical, empty signals left out. */
export interface FeedbackInput {
  readonly target: ReportedTarget
  readonly type: FeedbackType
  readonly signals?: FeedbackSignals
  readonly dispatch_id?: string
  readonly correlation_id?: string
}

/** The label is stored in clear and must not name a person: no `@`, `+` or space. */
export const label = {
  type: 'string',
  minLength: 1,
  maxLength: 128,
  pattern: '^[A-Za-z0-9][A-Za-z0-9._:/-]*$',
} as const

export const reportedEventInputSchema = openObject('ReportedEventInput', {
  target: reportedTargetSchema,
  label: {
    ...label,
    description:
      'The kind of event, such as account.banned or payment.chargeback. Stored in clear: it must not name a person.',
  },
  confidence: {
    type: 'string',
    enum: confidences,
    description: 'How confident the caller is.',
  },
})
/** An event after its checks. */
export type ReportedEventInput = TypeOf<typeof reportedEventInputSchema>

/** What a batch is answered with (spec 2.8). */
export const batchReceivedSchema = openObject('BatchReceived', {
  status: { type: 'string', enum: ['success'] },
  request_id: {
    type: 'string',
    description:
      'Id of the request that recorded the batch; of the first one when an Idempotency-Key is repeated.',
  },
})
type BatchReceived = TypeOf<typeof batchReceivedSchema>

type Context = Pick<Process, 'events' | 'keyring' | 'clock' | 'chance'> & {
  readonly projections: { readonly position: () => number }
  readonly metrics: Pick<Metrics, 'reported'>
}

/**
 * Records all feedback of the batch or none, durably. `visible` says whether the read models show it already; it is not waited for. Throws
 * `idempotency_key_reused`, `unavailable`.
 */
export async function sendFeedback(
  context: Context,
  call: Call,
  batch: readonly FeedbackInput[],
): Promise<Written<BatchReceived>> {
  const { repeated, ...received } = await receive<FeedbackInput>(context, call, {
    operation: 'feedback.send',
    stream: 'feedback',
    batch,
    factOf: (input, eventContext, index): FeedbackEvent => ({
      type: 'FeedbackReceived',
      data: {
        feedback_id: derivedIdAt('fbk', eventContext.command, index),
        type: input.type,
        target_type: input.target.type,
        ...correlationOf(context, eventContext, input),
        target: input.target.value,
        context: contextOf(input),
      },
    }),
  })
  if (!repeated) context.metrics.reported.feedback(batch)
  return received
}

/** Same, for events. */
export async function reportEvents(
  context: Context,
  call: Call,
  batch: readonly ReportedEventInput[],
): Promise<Written<BatchReceived>> {
  const { repeated, ...received } = await receive<ReportedEventInput>(context, call, {
    operation: 'events.report',
    stream: 'reported_event',
    batch,
    factOf: ({ target, label, confidence }, { command }, index): ReportedEvent => ({
      type: 'EventReported',
      data: {
        event_id: derivedIdAt('evt', command, index),
        label,
        confidence,
        target_type: target.type,
        target: target.value,
      },
    }),
  })
  if (!repeated) context.metrics.reported.events(batch)
  return received
}

function contextOf({ dispatch_id, correlation_id, signals }: FeedbackInput): FeedbackContext {
  return {
    ...(dispatch_id !== undefined && { dispatch_id }),
    ...(correlation_id !== undefined && { correlation_id }),
    ...(signals !== undefined && { signals }),
  }
}

function correlationOf(
  { keyring }: Pick<Process, 'keyring'>,
  { account }: EventContext,
  { correlation_id }: FeedbackInput,
): { readonly correlation?: string } {
  if (correlation_id === undefined) return {}
  return {
    correlation: lookupDigest(keyring, account, { kind: 'correlation_id', value: correlation_id }),
  }
}

interface Receiving<Input> {
  readonly operation: string
  /** What the names of its streams begin with. */
  readonly stream: string
  readonly batch: readonly Input[]
  readonly factOf: (
    input: Input,
    context: EventContext,
    index: number,
  ) => FeedbackEvent | ReportedEvent
}

async function receive<Input>(
  context: Context,
  call: Call,
  { operation, stream, batch, factOf }: Receiving<Input>,
): Promise<Written<BatchReceived> & { readonly repeated: boolean }> {
  const { events: store, keyring, projections } = context
  const account = call.principal.accountId
  const intention = { account, operation, input: batch, ownStream: true }
  const eventContext = eventContextOf(context, call, intention)
  const writer = {
    store,
    decode,
    encode: async (event: DomainEvent, of: EventContext, index: number) => {
      await waitForSpareKeys(keyring)
      await pause()
      return encode({ event, context: of, index }, keyring)
    },
  }
  const { position, request, repeated } = await longWork(account, () =>
    recordBatch(writer, {
      stream: `${stream}-${eventContext.command}`,
      context: eventContext,
      events: batch.map((input, index) => factOf(input, eventContext, index)),
    }),
  )
  const visible = projections.position() >= position
  return { value: { status: 'success', request_id: request }, position, visible, repeated }
}

export interface BatchWriter {
  readonly store: Pick<EventStore, 'append' | 'readStream'>
  /** Of the event of this number among those of its command; settles when its turn has come. */
  readonly encode: (event: DomainEvent, context: EventContext, index: number) => Promise<NewEvent>
  readonly decode: (recorded: RecordedEvent) => DecodedEvent
}

export interface Batch<Event extends DomainEvent> {
  readonly stream: string
  /** Of a command that has a stream of its own. */
  readonly context: EventContext
  /** At least one. */
  readonly events: readonly Event[]
}

export interface RecordedBatch {
  readonly position: number
  /** The request under which it is on record: an earlier one when the batch was recorded before. */
  readonly request: string
  readonly repeated: boolean
}

/**
 * Appends the batch, or finds it where the same `Idempotency-Key` recorded it before. Throws `idempotency_key_reused` when that was
 * another batch, `unavailable` when the store cannot write, or no sealing key is left.
 */
export async function recordBatch<Event extends DomainEvent>(
  writer: BatchWriter,
  batch: Batch<Event>,
): Promise<RecordedBatch> {
  const { stream, context, events } = batch
  const known = await recordedBatch(writer, batch)
  if (known) return { ...known, repeated: true }
  const encoded: NewEvent[] = []
  for (const [index, event] of events.entries()) {
    encoded.push(await writer.encode(event, context, index))
  }
  const answer = await writer.store.append({
    stream,
    events: encoded,
    expected: 'no_stream',
  })
  if (answer.ok && context.digest === undefined) {
    return { position: answer.position, request: context.request, repeated: false }
  }
  // the store takes an append whose ids it knows: what is on record may be another request's
  const made = await recordedBatch(writer, batch)
  if (!made) throw new Error(`the batch ${stream} was recorded and cannot be read`)
  return { ...made, repeated: made.request !== context.request }
}

/** The batch as it is on record; undefined when it is not, or has no key by which it could come again. */
async function recordedBatch<Event extends DomainEvent>(
  { store, decode }: BatchWriter,
  { stream, context, events }: Batch<Event>,
): Promise<Omit<RecordedBatch, 'repeated'> | undefined> {
  if (context.digest === undefined) return undefined
  // a shorter batch has none there; it is another one, which its first event says
  const last =
    (await store.readStream(stream, { from: events.length - 1, limit: 1 }))[0] ??
    (await store.readStream(stream, { from: 0, limit: 1 }))[0]
  if (!last) return undefined
  const { metadata, position } = decode(last)
  if (metadata.digest === context.digest) return { position, request: metadata.request }
  throw new Failure(
    'idempotency_key_reused',
    'The Idempotency-Key was used before with another request.',
  )
}
