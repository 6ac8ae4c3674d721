import { describe, expect, test } from 'vitest'
import type { NewEvent } from '../../../src/stores/eventStore.ts'
import { buildAppendRequest } from '../../../src/stores/eventstoredb/protocolMessages.ts'
import { type Recording, recording } from '../../support/eventStoreDb/recordings.ts'
import { plainAnswer, replay } from '../../support/eventStoreDb/replay.ts'
import { fakeForTest } from '../support/fakeUnderTest.ts'
import { newEvent } from '../support/newEvents.ts'

const atNoPosition = (position: number) => position

/** What the server said to appends, without what no other run can have. */
function recordedAnswers({ messages }: Recording): unknown[] {
  return messages.filter(({ dir }) => dir === 'server->client').map(plainAnswer)
}

/** The recording with its request, which was too large to keep. */
function withRequest(its: Recording, events: readonly NewEvent[]): Recording {
  const [asked, answered] = its.messages
  const { correlationId, streamIdentifier } = plainAnswer(answered ?? fail()) as Named
  const stream = Buffer.from(streamIdentifier.streamName, 'base64').toString()
  const append = { stream, expected: 'no_stream', events } as const
  const request = buildAppendRequest({ append, id: correlationId.string })
  const hex = Buffer.from(request.serializeBinary()).toString('hex')
  return { ...its, messages: [{ ...(asked ?? fail()), hex }, answered ?? fail()] }
}

interface Named {
  readonly correlationId: { readonly string: string }
  readonly streamIdentifier: { readonly streamName: string }
}

function fail(): never {
  throw new Error('the recording has no request and answer')
}

const eventOf = (seed: string, bytes: number, type: string): NewEvent => ({
  ...newEvent(seed),
  type,
  data: JSON.stringify('x'.repeat(bytes - 2)),
  metadata: '{}',
})

describe.each(['eventstoredb-24.10.14', 'kurrentdb-26.1.0'])(
  'the fake EventStoreDB, asked what %s was asked',
  (server) => {
    test('given a limit on events, when an event is larger, then it answers with its size as the server counts it', async () => {
      const fake = await fakeForTest()
      fake.faults.eventBytesMax = 2_000
      const its = recording(`${server}/batch_append_event_over_max_append_event_size`)

      const { appends } = await replay(fake, its, atNoPosition)

      expect(appends).toEqual(recordedAnswers(its))
    })

    test('given an append that was answered, when it comes again, then it has the same answer', async () => {
      const fake = await fakeForTest()
      const its = recording(`${server}/batch_append_same_ids_after_first`)

      const { appends } = await replay(fake, its, atNoPosition)

      expect(appends).toEqual(recordedAnswers(its))
    })

    test('given an append that is being written, when it comes again, then it is dropped, and answered in the end that it took too long', async () => {
      const fake = await fakeForTest()
      fake.faults.append = () => 'slow'
      fake.faults.writeTimeoutMs = 20
      const its = recording(`${server}/batch_append_same_ids_while_first_under_way`)

      const pair = await Promise.all([
        replay(fake, its, atNoPosition),
        replay(fake, its, atNoPosition),
      ])

      const answers = pair.map(({ appends }) => appends)
      expect(answers).toContainEqual(recordedAnswers(its))
      expect(answers).toContainEqual([expect.objectContaining({ success: expect.anything() })])
    })
  },
)

describe('the fake EventStoreDB, asked for more than 24.10.14 takes', () => {
  test('given a million bytes of data in 2,000 events, then it counts their metadata and names too', async () => {
    const fake = await fakeForTest()
    const events = Array.from({ length: 2_000 }, (_, at) => eventOf(`${at}`, 500, 'T'.repeat(20)))
    const its = withRequest(
      recording('eventstoredb-24.10.14/batch_append_1000000_bytes_of_2000_events'),
      events,
    )

    const { appends } = await replay(fake, its, atNoPosition)

    expect(appends).toEqual(recordedAnswers(its))
  })

  test('given one event of 1,100,000 bytes, then the append is too large', async () => {
    const fake = await fakeForTest()
    const its = withRequest(
      recording('eventstoredb-24.10.14/batch_append_event_of_1100000_bytes'),
      [eventOf('x', 1_100_000, 'Recorded')],
    )

    const { appends } = await replay(fake, its, atNoPosition)

    expect(appends).toEqual(recordedAnswers(its))
  })
})
