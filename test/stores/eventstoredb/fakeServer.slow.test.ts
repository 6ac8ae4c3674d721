import { describe, expect, test } from 'vitest'
import type { StoredEvent } from '../../support/eventStoreDb/fakeLog.ts'
import type { FakeEventStoreDb } from '../../support/eventStoreDb/fakeServer.ts'
import { type Recording, recording } from '../../support/eventStoreDb/recordings.ts'
import { plainAnswer, replay, type Said } from '../../support/eventStoreDb/replay.ts'
import { fakeForTest } from '../support/fakeUnderTest.ts'

/** One session on one server, in the order in which it was recorded. What went before and was not recorded is made up for. */
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
    const fake = await fakeForTest()
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
      readonly data: string
    }
  }
}

/** Writes the events that a recorded answer has. */
function appendRead({ log }: FakeEventStoreDb, { messages }: Recording): void {
  for (const message of messages) {
    const event =
      message.type === 'streams.ReadResp' ? (plainAnswer(message) as Read).event?.event : undefined
    const stream = fromBase64(event?.streamIdentifier.streamName ?? '').toString()
    if (!event || stream.startsWith('$')) continue
    const map = new Map(event.metadataMap)
    log.append(stream, 'any', [
      {
        id: event.id.string,
        type: map.get('type') ?? '',
        contentType: map.get('content-type') ?? '',
        data: fromBase64(event.data),
        metadata: new Uint8Array(),
      },
    ])
  }
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
