import { describe, expect, test } from 'vitest'
import { fakeLog, type StoredEvent } from '../../support/eventStoreDb/fakeLog.ts'
import type { FakeEventStoreDb } from '../../support/eventStoreDb/fakeServer.ts'
import { type Recording, recording } from '../../support/eventStoreDb/recordings.ts'
import { plainAnswer, replay, type Said } from '../../support/eventStoreDb/replay.ts'
import { fakeForTest } from '../support/fakeUnderTest.ts'

/**
 * One session on one server, in the order in which it was recorded. What went before and was not recorded is made up
 * for.
 */
const session: readonly (readonly [name: string, before?: (fake: FakeEventStoreDb) => void])[] = [
  ['read_all_forwards_max5', (fake) => appendRead(fake, recording('read_all_forwards_max5'))],
  ['batch_append_wrong_version'],
  ['server_features_then_first_append'],
  ['batch_append_exact_success'],
  ['batch_append_idempotent_retry'],
  ['batch_append_three_events'],
  ['batch_append_any'],
  [
    'batch_append_wrong_expected_no_stream',
    (fake) => appendRead(fake, lastMessage(recording('read_stream_forwards'))),
  ],
  ['batch_append_wrong_expected_exact_low'],
  ['batch_append_wrong_expected_exact_high'],
  ['batch_append_wrong_expected_exact_on_missing'],
  ['batch_append_before_soft_delete'],
  ['batch_append_soft_deleted_retry_same_id', ({ log }) => log.softDelete('rec-8b5aaa-sd')],
  ['batch_append_stream_deleted', ({ log }) => log.tombstone('rec-8b5aaa-d')],
  ['read_stream_deleted'],
  ['read_stream_forwards'],
  ['read_stream_backwards_end_max1'],
  ['read_stream_from_beyond_end'],
  ['read_stream_not_found'],
  [
    'read_all_backwards_end_max1',
    (fake) => appendRead(fake, recording('read_all_backwards_end_max1')),
  ],
  [
    'subscribe_all_unfiltered_from_position_live',
    (fake) => {
      appendNew(fake.log, 'marker')
      appendRead(fake, beforeAsked(recording('subscribe_all_unfiltered_from_position_live')))
    },
  ],
  ['subscribe_all_from_invalid_position'],
  ['subscribe_all_beyond_end'],
  ['stream_metadata'],
  ['read_stream_after_maxcount'],
]

describe('the fake EventStoreDB', () => {
  test('given what a real server was asked in one session, when asked the same, then it answers alike', async () => {
    const fake = await fakeForTest({ log: fakeLog() })
    // the deadlines of the recording have passed
    fake.faults.clockAheadMs = Number.NEGATIVE_INFINITY

    for (const [name, before] of session) {
      before?.(fake)
      const its = recording(name)

      const said = await replay(fake, its, (position) => moved(fake, position))

      expect.soft(said, name).toEqual(recordedOf(its))
    }
  })
})

/** What later servers were asked of positions and tombstones, each on a log of its own. */
const later: readonly (readonly [name: string])[] = [
  ['read_all_forwards_invalid_position'],
  ['read_all_backwards_invalid_position'],
  ['subscribe_all_invalid_position'],
  ['read_all_beyond_end'],
  ['read_all_forwards_at_last_event'],
  ['read_all_backwards_with_tombstone'],
]

describe.each(['eventstoredb-24.10.14', 'kurrentdb-26.1.0'])('the fake beside %s', (server) => {
  test.each(later)(
    'given what it was asked in %s, when asked the same, then it answers alike',
    async (name) => {
      const fake = await fakeForTest({ log: fakeLog() })
      appendNew(fake.log, 'a')
      const its = recording(`${server}/${name}`)
      appendRead(fake, oldestFirst(its))
      const end = fake.log.events.at(-1)?.position ?? 0

      const said = await replay(fake, its, (position) => end + position - endAt)

      const { refusal } = recordedOf(its)
      // KurrentDB goes on with what it has found at the position
      const details = refusal?.details.split(' >> ')[0]
      expect(said).toEqual({
        ...recordedOf(its),
        refusal: refusal && { ...refusal, details },
      })
    },
  )
})

/** Where the event is that the recorded positions lie around. */
const endAt = 975

function oldestFirst({ messages, ...rest }: Recording): Recording {
  return { ...rest, messages: messages.toReversed() }
}

/** Where the recorded session had its marker; the others are counted from there. */
const markerAt = 140_067_817

function moved({ log }: FakeEventStoreDb, position: number): number {
  const marker = log.events.find(({ stream }) => stream === 'marker')
  return (marker?.position ?? 0) + position - markerAt
}

function recordedOf(its: Recording): Said {
  const answers = its.messages.filter(({ dir }) => dir === 'server->client')
  const reads = answers.filter(({ type }) => type === 'streams.ReadResp')
  const features = answers.filter(({ type }) => type.startsWith('serverfeatures'))
  const others = answers.filter((answer) => !reads.includes(answer) && !features.includes(answer))
  return {
    appends: others.map(plainAnswer),
    reads: reads.map(plainAnswer),
    refusal: its.refusal,
  }
}

function lastMessage({ messages, ...rest }: Recording): Recording {
  return { ...rest, messages: messages.slice(-1) }
}

/** The answers that came before the client asked for something else. */
function beforeAsked({ messages, ...rest }: Recording): Recording {
  const first = messages.findIndex(({ dir }, index) => index > 0 && dir === 'client->server')
  return { ...rest, messages: messages.slice(0, first) }
}

interface Read {
  readonly event?: {
    readonly event: {
      readonly id: { readonly string: string }
      readonly streamIdentifier: { readonly streamName: string }
      readonly metadataMap: readonly (readonly [string, string])[]
      readonly streamRevision: string
      readonly data: string
      readonly customMetadata: string
    }
  }
}

/** Writes the events that a recorded answer has. */
function appendRead({ log }: FakeEventStoreDb, { messages }: Recording): void {
  for (const message of messages) {
    if (message.type !== 'streams.ReadResp') continue
    const { event } = (plainAnswer(message) as Read).event ?? {}
    if (event) appendRecorded(log, event)
  }
}

type RecordedEvent = NonNullable<Read['event']>['event']

function appendRecorded(log: FakeEventStoreDb['log'], event: RecordedEvent): void {
  const stream = fromBase64(event.streamIdentifier.streamName).toString()
  if (stream.startsWith('$')) return
  const map = new Map(event.metadataMap)
  const type = map.get('type') ?? ''
  const { length = 0 } = log.stream(stream) ?? []
  if (type === '$streamDeleted') return void log.tombstone(stream, event.id.string)
  for (let count = length; count < Number(event.streamRevision); count += 1) appendNew(log, stream)
  log.append(stream, 'any', [
    {
      ...{ id: event.id.string, type, contentType: map.get('content-type') ?? '' },
      data: fromBase64(event.data),
      metadata: fromBase64(event.customMetadata),
    },
  ])
}

function fromBase64(text: string): Buffer {
  return Buffer.from(text, 'base64')
}

function appendNew(log: FakeEventStoreDb['log'], stream: string): void {
  const event: Omit<StoredEvent, 'stream' | 'revision' | 'position' | 'createdTicks'> = {
    id: crypto.randomUUID(),
    type: 'T',
    contentType: 'application/json',
    data: Buffer.from('{}'),
    metadata: new Uint8Array(),
  }
  log.append(stream, 'any', [event])
}
