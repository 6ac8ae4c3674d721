/** Follows the log of EventStoreDB, and resubscribes when a subscription ends. */

/*
 * Events delivered before and the server's own events are skipped.
 */

import { sleep } from '../backgroundLoop.ts'
import type { RecordedEvent } from '../eventStore.ts'
import type { Connection } from './eventStoreDbConnection.ts'
import {
  closedLog,
  damagedLog,
  eventLogUnavailable,
  isDamagedLog,
  isDenied,
} from './protocolErrors.ts'
import { buildReadLogRequest, isSystemEvent } from './protocolMessages.ts'
import type { LogEndTracker, PageReader } from './readLogPages.ts'
import { subscribe, UnconfirmedError } from './subscription.ts'

export interface FollowPace {
  readonly confirmMs: number
  readonly silenceMs: number
  /** The first pause before a new subscription, and the longest. */
  readonly backoffMs: number
  readonly backoffMaxMs: number
}

export const defaultFollowPace: FollowPace = Object.freeze({
  confirmMs: 5_000,
  silenceMs: 10_000,
  backoffMs: 50,
  backoffMaxMs: 5_000,
})

export interface FollowContext {
  readonly connection: Connection
  readonly reader: PageReader
  readonly end: LogEndTracker
  readonly pace: FollowPace
  /** Called with why a subscription has ended, once until events come again. */
  readonly onDrop: (reason: unknown) => void
  /** Aborted when the store is closed. */
  readonly closed: AbortSignal
}

interface Mark {
  /** Of the event that was yielded last. */
  position: number
  id: string | undefined
  /** Position of the event delivered last, also of the server's own: the next subscription begins there, unless that led nowhere. */
  seen: number
}

/**
 * The service's events after a position, in order and in bounded batches, then those to come, until `signal` is aborted. Throws
 * `unavailable` when the log has no event at the position, or another one than before, and when the store is closed.
 */
export async function* followLog(
  following: FollowContext,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
  const { pace, closed, reader } = following
  const until = AbortSignal.any([signal, closed])
  const mark: Mark = { position: after, id: undefined, seen: after }
  let waitMs = pace.backoffMs
  while (!until.aborted) {
    const before = mark.seen
    let reason: unknown = new Error('EventStoreDB has ended the subscription')
    try {
      await verify(reader, mark)
      for await (const events of batches(following, mark, until)) {
        waitMs = pace.backoffMs
        yield events
      }
    } catch (error) {
      reason = error
    }
    await rest(following, { reason, waitMs }, until)
    waitMs = Math.min(pace.backoffMaxMs, waitMs * 2)
    // the server may remove its own events
    if (mark.seen === before) mark.seen = mark.position
  }
  if (!signal.aborted) throw closedLog()
}

/** Waits before a new subscription. Throws for what a new one does not fix. */
async function rest(
  { pace, onDrop }: FollowContext,
  { reason, waitMs }: { readonly reason: unknown; readonly waitMs: number },
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return
  if (isDamagedLog(reason)) throw reason
  if (isDenied(reason)) throw eventLogUnavailable(reason)
  if (waitMs === pace.backoffMs) onDrop(reason)
  await sleep(waitMs, signal)
}

/** The batches of one subscription without the server's own events; a batch of nothing else is skipped. */
async function* batches(
  following: FollowContext,
  mark: Mark,
  signal: AbortSignal,
): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
  const { connection, end, pace } = following
  const isStuck = async () => (await end.find()) > mark.position
  const options = { ...pace, after: mark.seen, signal, isStuck }
  const client = connection.client()
  try {
    for await (const batch of subscribe(client, options)) {
      const events = batch.filter((event) => advance(mark, event))
      if (events.length === 0) continue
      end.note(mark.position)
      yield events
    }
  } catch (error) {
    if (error instanceof UnconfirmedError) connection.discardClient(client)
    throw error
  }
}

/** Moves the mark; whether the event is one to yield. */
function advance(mark: Mark, event: RecordedEvent): boolean {
  mark.seen = event.position
  if (isSystemEvent(event) || event.position <= mark.position) return false
  mark.id = event.id
  mark.position = event.position
  return true
}

/**
 * Refuses to go on where the log has no event, or another one than before: a server on an older copy would silently skip
 * new events until it has come as far again.
 */
async function verify(reader: PageReader, { position, id }: Mark): Promise<void> {
  if (position === 0) return
  const [found] = await reader(
    buildReadLogRequest({ from: position, direction: 'forwards', limit: 1 }),
  )
  if (found?.position !== position || isSystemEvent(found)) {
    throw damagedLog(`it has no event at position ${position}, up to which it was followed`)
  }
  if (id !== undefined && found.id !== id) {
    throw damagedLog(`it has another event at position ${position} than it had`)
  }
}
