/**
 * Follows the log of EventStoreDB, and resubscribes after the last event when a subscription ends.
 * Events delivered before and the server's own events are skipped.
 */

import { setTimeout as delay } from 'node:timers/promises'
import type { RecordedEvent } from '../eventStore.ts'
import type { Connection } from './connection.ts'
import type { LogEnd } from './logEnd.ts'
import { isOfSystem, type LogPosition, logRequest, type PlacedEvent, placeAt } from './messages.ts'
import { closedLog, damagedLog, isDamagedLog, isDenied, unreachable } from './protocolErrors.ts'
import type { PageReader } from './readPage.ts'
import { subscribe, UnconfirmedError } from './subscription.ts'

export interface FollowPace {
  readonly confirmMs: number
  readonly silenceMs: number
  /** The first wait before a new subscription, and the longest. */
  readonly backoffMs: number
  readonly backoffMaxMs: number
}

export const followPace: FollowPace = Object.freeze({
  confirmMs: 5_000,
  silenceMs: 10_000,
  backoffMs: 50,
  backoffMaxMs: 5_000,
})

export interface Following {
  readonly connection: Connection
  readonly reader: PageReader
  readonly end: LogEnd
  readonly pace: FollowPace
  readonly onCreated: (ms: number) => void
  /** Told why a subscription has ended, once until events come again. */
  readonly onDrop: (reason: unknown) => void
  /** Aborted when the store is closed. */
  readonly closed: AbortSignal
}

interface Mark {
  /** Of the event that was handed out last. */
  position: number
  place: LogPosition | undefined
  id: string | undefined
  /** Of the event that was delivered last, whoever's it is: from there it goes on, unless that has led nowhere. */
  seen: LogPosition | undefined
}

/**
 * The service's events after a position, in order and in bounded batches, then those to come, until `signal` is aborted. Throws
 * `unavailable` when the log does not know the position, or has another event there than it had, and when the store is closed.
 */
export async function* followLog(
  following: Following,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
  const until = AbortSignal.any([signal, following.closed])
  const place = after > 0 ? placeAt(after) : undefined
  const mark: Mark = { position: after, place, id: undefined, seen: place }
  const rests = openRests(following, until)
  while (!until.aborted) {
    const before = mark.seen
    try {
      await verify(following.reader, mark)
      for await (const events of batches(following, mark, until)) {
        rests.begin()
        yield events
      }
      await rests.rest(new Error('EventStoreDB has ended the subscription'))
    } catch (error) {
      if (!until.aborted) await rests.rest(error)
    }
    // what the server has written for itself it may also remove
    if (mark.seen === before) mark.seen = mark.place
  }
  if (!signal.aborted) throw closedLog()
}

interface Rests {
  /** Events have come. */
  readonly begin: () => void
  /** Waits before a new subscription. Throws for what a new one does not mend. */
  readonly rest: (reason: unknown) => Promise<void>
}

/** Ever longer waits, until events come again. */
function openRests({ pace, onDrop }: Following, signal: AbortSignal): Rests {
  let waitMs = pace.backoffMs
  return {
    begin: () => {
      waitMs = pace.backoffMs
    },
    rest: async (reason) => {
      if (isDamagedLog(reason)) throw reason
      if (isDenied(reason)) throw unreachable(reason)
      if (signal.aborted) return
      if (waitMs === pace.backoffMs) onDrop(reason)
      await delay(waitMs, undefined, { signal }).catch(() => undefined)
      waitMs = Math.min(pace.backoffMaxMs, waitMs * 2)
    },
  }
}

/** Those of the server's own are left out; of a batch with nothing else nobody hears. */
async function* batches(
  following: Following,
  mark: Mark,
  signal: AbortSignal,
): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
  const { connection, end, pace, onCreated } = following
  const isStuck = async () => (await end.find()) > mark.position
  const options = { ...pace, after: mark.seen, signal, isStuck, onCreated }
  const line = connection.line()
  try {
    for await (const batch of subscribe(line, options)) {
      const events = batch.flatMap((placed) => (advance(mark, placed) ? [placed.event] : []))
      if (events.length === 0) continue
      end.hear(mark.position)
      yield events
    }
  } catch (error) {
    if (error instanceof UnconfirmedError) connection.giveUp(line)
    throw error
  }
}

/** Whether the event is one to hand out; writes down how far it has come. */
function advance(mark: Mark, placed: PlacedEvent): boolean {
  const { event, place } = placed
  mark.seen = place
  if (isOfSystem(placed) || event.position <= mark.position) return false
  mark.place = place
  mark.id = event.id
  mark.position = event.position
  return true
}

/**
 * Refuses to go on from where the log has no event, or another one than before: a server on an older copy would pass over in silence
 * what is written until it has come so far again.
 */
async function verify(reader: PageReader, { place, position, id }: Mark): Promise<void> {
  if (!place) return
  const request = logRequest({ from: place, direction: 'forwards', limit: 1 })
  const [found] = await reader.read(request)
  if (found?.event.position !== position || isOfSystem(found)) {
    throw damagedLog(`it has no event at position ${position}, up to which it was followed`)
  }
  if (id !== undefined && found.event.id !== id) {
    throw damagedLog(`it has another event at position ${position} than it had`)
  }
}
