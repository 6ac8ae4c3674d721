/** Follows the log of EventStoreDB, and resubscribes when a subscription ends. */

/*
 * Events delivered before and the server's own events are skipped.
 */

import { sleep } from '../backgroundLoop.ts'
import type { RecordedEvent } from '../eventStore.ts'
import {
  isAccessDenied,
  isDamagedLog,
  logClosedFailure,
  logDamagedFailure,
  logUnavailableFailure,
} from './eventStoreDbErrors.ts'
import type { LogConnection } from './logConnection.ts'
import { isSystemEvent } from './protocolMessages.ts'
import { subscribe, UnconfirmedError } from './subscription.ts'

export interface FollowContext {
  readonly log: LogConnection
  /** Called with why a subscription has ended, once until events come again. */
  readonly onDrop?: ((reason: unknown) => void) | undefined
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
  { log, onDrop, closed }: FollowContext,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
  const { backoffMs, backoffMaxMs } = log.pace
  const until = AbortSignal.any([signal, closed])
  const mark: Mark = { position: after, id: undefined, seen: after }
  let waitMs = backoffMs
  while (!until.aborted) {
    const before = mark.seen
    let reason: unknown = new Error('EventStoreDB has ended the subscription')
    try {
      await verify(log, mark)
      for await (const events of batches(log, mark, until)) {
        waitMs = backoffMs
        yield events
      }
    } catch (error) {
      reason = error
    }
    if (until.aborted) break
    throwIfFinal(reason)
    if (waitMs === backoffMs) onDrop?.(reason)
    await sleep(waitMs, until)
    waitMs = Math.min(backoffMaxMs, waitMs * 2)
    // the server may remove its own events
    if (mark.seen === before) mark.seen = mark.position
  }
  if (!signal.aborted) throw logClosedFailure()
}

/** Throws for an error that a new subscription does not fix. */
function throwIfFinal(reason: unknown): void {
  if (isDamagedLog(reason)) throw reason
  if (isAccessDenied(reason)) throw logUnavailableFailure(reason)
}

/** The batches of one subscription without the server's own events; a batch of nothing else is skipped. */
async function* batches(
  { end, pace, ...connection }: LogConnection,
  mark: Mark,
  signal: AbortSignal,
): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
  const isStuck = async () => (await end.find()) > mark.position
  const client = connection.client()
  try {
    for await (const batch of subscribe(client, { ...pace, after: mark.seen, signal, isStuck })) {
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
async function verify({ eventAt }: LogConnection, { position, id }: Mark): Promise<void> {
  if (position === 0) return
  const found = await eventAt(position)
  if (!found || isSystemEvent(found)) {
    throw logDamagedFailure(`it has no event at position ${position}, up to which it was followed`)
  }
  if (id !== undefined && found.id !== id) {
    throw logDamagedFailure(`it has another event at position ${position} than it had`)
  }
}
