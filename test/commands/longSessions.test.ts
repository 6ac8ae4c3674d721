/** A long session is read by its first page and its end, which make what all of it makes. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  evolveSession,
  refreshRepeatsMax,
  type SessionEvent,
  type SessionState,
  sessionTailMax,
} from '../../src/events/sessions/session.ts'
import { openStreamCache } from '../../src/state/folding/foldedStreamCache.ts'
import { sessionStreamType } from '../../src/state/sessions/sessionStreamTypes.ts'
import { pageOfStream } from '../../src/stores/eventStore.ts'
import { samples } from '../events/samples.ts'
import { draws } from '../support/draws.ts'
import { load } from '../support/load.ts'
import { memoryEventStore } from '../support/memoryEventStore.ts'

const started: SessionEvent = { type: 'SessionStarted', data: samples.SessionStarted }
const revoked: SessionEvent = { type: 'SessionRevoked', data: samples.SessionRevoked }

/** What becomes of a session: a refresh each, from another device or not, answered so many more times. */
interface Refresh {
  readonly isElsewhere: boolean
  readonly repeats: number
}

function eventsOf(refreshes: readonly Refresh[]): readonly SessionEvent[] {
  const events: SessionEvent[] = [started]
  let device_at = 0
  for (const [index, { isElsewhere, repeats }] of refreshes.entries()) {
    const { device, ...data } = samples.SessionRefreshed
    const own = { generation: index + 1, refresh_token_hash: `h${index}`, proof_id: `p${index}` }
    const said = isElsewhere && device ? { device } : {}
    events.push({ type: 'SessionRefreshed', data: { ...data, ...own, device_at, ...said } })
    if (isElsewhere) device_at = events.length - 1
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const proof_id = `p${index} ${repeat}`
      events.push({ type: 'RefreshRepeated', data: { ...samples.RefreshRepeated, proof_id } })
    }
  }
  return events
}

const refresh = fc.record<Refresh>({
  isElsewhere: fc.boolean(),
  repeats: fc.nat(refreshRepeatsMax),
})

test('the last events of a session, with its first, make the state that all of them make', () =>
  fc.assert(
    fc.property(fc.array(refresh), fc.boolean(), (refreshes, isOver) => {
      const events = [...eventsOf(refreshes), ...(isOver ? [revoked] : [])]
      const first = Math.max(1, events.length - sessionTailMax)
      const stateOf = (revisions: readonly number[]) =>
        revisions.reduce<SessionState | undefined>(
          (state, revision) => evolveSession(state, events[revision] as SessionEvent, revision),
          undefined,
        )
      const all = [...events.keys()]

      expect(stateOf([0, ...all.slice(first)])).toEqual(stateOf(all))
    }),
    { numRuns: draws(200) },
  ))

test('a session that was refreshed for ninety days is read by a page and its end', async () => {
  const events = eventsOf(
    Array.from({ length: 12_960 }, () => ({ isElsewhere: false, repeats: 0 })),
  )
  const metadata = JSON.stringify({ command: 'c', time: 1 })
  const store = memoryEventStore(
    events.map(({ type, data }, revision) => {
      const text = { data: JSON.stringify(data), metadata }
      return { id: `${revision}`, type, ...text, stream: 's', revision, position: revision + 1 }
    }),
  )
  let read = 0
  const streams = openStreamCache({
    ...load,
    store,
    decode: ({ type, data, stream, revision, position, ...recorded }) => {
      read += 1
      const event = { type, data: JSON.parse(data) } as SessionEvent
      return { event, metadata: JSON.parse(recorded.metadata), stream, revision, position }
    },
    streamType: sessionStreamType,
    bytesMax: 1_000_000,
  })

  const { state, revision } = await streams.getFolded('s')

  expect(revision).toBe(12_960)
  expect(state).toMatchObject({ generation: 12_960, previous_token_hash: 'h12958', device_at: 0 })
  expect(read).toBe(pageOfStream.limit + sessionTailMax)
})
