/** Follows cached streams in the log, and applies events of all instances to the caches. */

import type { Clock } from '../domain/clock.ts'
import { accountStream } from '../events/accounts/account.ts'
import { type ErasureEvent, subjectErasureStream } from '../events/audit/erasure.ts'
import { decode } from '../events/catalogue.ts'
import { listEntryStreamPrefix, phoneListStreamPrefix } from '../events/lists/listEntry.ts'
import { managedStream, rulebookStream } from '../events/rulebook/rulebook.ts'
import { appStream } from '../events/sessions/appEvents.ts'
import { sessionStream } from '../events/sessions/session.ts'
import { userStream } from '../events/sessions/user.ts'
import { noteHead } from '../state/evaluation/readCounters.ts'
import type { FollowProgress } from '../state/folding/foldedStreamCache.ts'
import { type BackgroundLoop, sleep, startBackgroundLoop } from '../stores/backgroundLoop.ts'
import type { EventStore, Excerpt, RecordedEvent } from '../stores/eventStore.ts'
import { backOff } from '../stores/retry.ts'
import type { ServiceContext } from './serviceContext.ts'

/** How often the end of the log is read. */
const headCheckMs = 250
/** Rest between two excerpts, so that following costs little while many events come. */
const pauseMs = 60
/** Pauses after an outage. */
const pauses = { backoffMs: 50, backoffMaxMs: 1_000 }

/** A cache that is kept current with the events of some streams. */
interface StreamCache {
  readonly applyEvent: (recorded: RecordedEvent) => void
  readonly invalidate: (stream: string) => void
}

/** The streams that an instance caches, by the beginning of their names. */
export function listStreamCaches(context: ServiceContext): ReadonlyMap<string, StreamCache> {
  const { accounts, rulebooks, managed, apps, users, sessions, cachedLists, keyring } = context
  return new Map<string, StreamCache>([
    [accountStream(''), accounts],
    // before those whose names begin like it
    [managedStream, managed],
    [rulebookStream(''), rulebooks],
    [appStream(''), apps],
    [userStream(''), users],
    [sessionStream(''), sessions],
    [phoneListStreamPrefix, cachedLists],
    [listEntryStreamPrefix, cachedLists],
    [
      subjectErasureStream(''),
      {
        applyEvent: (recorded) =>
          keyring.forget((decode(recorded).event as ErasureEvent).data.keys),
        // nothing is cached of it: whoever needs a key that was not forgotten finds it destroyed
        invalidate: () => undefined,
      },
    ],
  ])
}

export interface FollowOptions {
  readonly events: Pick<EventStore, 'followStreams' | 'head'>
  readonly caches: ReadonlyMap<string, StreamCache>
  readonly clock: Clock
  /** Where it is written how far it is. */
  readonly followed: FollowProgress
  /** Told of an event that cannot be folded, and of a log that cannot be followed. */
  readonly onFault: (error: unknown) => void
}

/**
 * Follows these streams from the end of the log on, until it is closed; nothing may be cached before. Until it is
 * called, and while the log cannot be followed, every use of a stream reads on in the log. An event that cannot be
 * folded makes its stream be read again before it is used. Rejects with what the store throws at the start; later
 * outages are waited out.
 */
export async function followStreams(options: FollowOptions): Promise<BackgroundLoop> {
  const { followed, clock, events } = options
  const startedMs = clock.nowMs()
  followed.position = await events.head()
  followed.asOfMs = startedMs
  return startBackgroundLoop((signal) =>
    Promise.all([followLog(options, signal), trackHead(options, signal)]),
  )
}

async function followLog(options: FollowOptions, signal: AbortSignal): Promise<void> {
  const { events, caches, followed, onFault } = options
  const prefixes = [...caches.keys()]
  const backoff = { ...pauses, signal, failures: 0 }
  while (!signal.aborted) {
    try {
      for await (const excerpt of events.followStreams(prefixes, followed.position, signal)) {
        applyExcerpt(options, excerpt)
        backoff.failures = 0
        await sleep(pauseMs, signal)
      }
    } catch (error) {
      if (!signal.aborted) onFault(error)
    }
    await backOff(backoff)
  }
}

function applyExcerpt(
  { caches, followed, onFault }: FollowOptions,
  { events, position }: Excerpt,
): void {
  for (const recorded of events) {
    const [, cache] = [...caches].find(([prefix]) => recorded.stream.startsWith(prefix)) ?? []
    try {
      cache?.applyEvent(recorded)
    } catch (error) {
      cache?.invalidate(recorded.stream)
      onFault(error)
    }
  }
  if (position > followed.position) followed.position = position
}

/**
 * Notes when everything was applied that was in the log at a time. An outage shows by itself: what is cached grows too
 * old.
 */
async function trackHead(options: FollowOptions, signal: AbortSignal): Promise<void> {
  const { events, clock, followed } = options
  while (!signal.aborted) {
    const atMs = clock.nowMs()
    const head = await events.head().catch(() => Number.POSITIVE_INFINITY)
    if (head < Number.POSITIVE_INFINITY) noteHead(followed, { atMs, position: head })
    while (followed.position < head && head < Number.POSITIVE_INFINITY && !signal.aborted) {
      await sleep(pauseMs, signal)
    }
    if (followed.position >= head) followed.asOfMs = atMs
    await sleep(headCheckMs, signal)
  }
}
