/** Follows cached streams in the log and updates the caches, whichever instance has written. */

import type { Followed } from '../commands/handling/streams.ts'
import type { Clock } from '../domain/clock.ts'
import { pause } from '../projections/running/outages.ts'
import type { EventStore, Excerpt, RecordedEvent } from '../stores/eventStore.ts'

/** How often it is asked how far the log has come. */
const askEveryMs = 250
/** Rest between two excerpts, so that following costs little while many events come. */
const restMs = 20
/** Waits after an outage: the first, and the longest. */
const backoffMs = 50
const backoffMaxMs = 1_000

/** Cached streams, by the prefix of their names. */
export interface HeldStreams {
  readonly prefix: string
  readonly hear: (recorded: RecordedEvent) => void
  readonly distrust: (stream: string) => void
}

export interface FollowOptions {
  readonly events: Pick<EventStore, 'followStreams' | 'head'>
  readonly held: readonly HeldStreams[]
  readonly clock: Clock
  /** Where it is written how far it is. */
  readonly followed: Followed
  /** Told of an event that cannot be folded, and of a log that cannot be followed. */
  readonly onFault: (error: unknown) => void
}

/**
 * Follows the events of these streams from the end of the log on, until it is closed; nothing may be cached before. An event that
 * cannot be folded makes its stream be read again before it is used. Rejects with what the store throws at the start; later outages
 * are waited out.
 */
export async function followConfiguration(
  options: FollowOptions,
): Promise<{ readonly close: () => Promise<void> }> {
  const stop = new AbortController()
  const { followed, clock, events } = options
  const startedMs = clock.nowMs()
  followed.position = await events.head()
  followed.asOfMs = startedMs
  const mark = openMark(options)
  const done = Promise.all([follow(options, mark, stop.signal), ask(options, mark, stop.signal)])
  return {
    close: async () => {
      stop.abort()
      await done
    },
  }
}

interface Mark {
  /** The log had come to `head` at this time. */
  readonly set: (head: number, atMs: number) => void
  /** Looks whether the mark has been passed. */
  readonly check: () => void
}

function openMark({ followed }: FollowOptions): Mark {
  let mark: { readonly head: number; readonly atMs: number } | undefined
  const check = (): void => {
    if (!mark || followed.position < mark.head) return
    followed.asOfMs = mark.atMs
    mark = undefined
  }
  return {
    set: (head, atMs) => {
      // one that has not been passed stays: else a follower who is always a little behind would never be seen to come on
      mark ??= { head, atMs }
      check()
    },
    check,
  }
}

async function follow(options: FollowOptions, mark: Mark, signal: AbortSignal): Promise<void> {
  const { events, held, followed, onFault } = options
  const prefixes = held.map(({ prefix }) => prefix)
  let waitMs = backoffMs
  while (!signal.aborted) {
    try {
      for await (const excerpt of events.followStreams(prefixes, followed.position, signal)) {
        take(options, excerpt)
        mark.check()
        waitMs = backoffMs
        await pause(restMs, signal)
      }
    } catch (error) {
      if (!signal.aborted) onFault(error)
    }
    await pause(waitMs, signal)
    waitMs = Math.min(backoffMaxMs, waitMs * 2)
  }
}

function take({ held, followed, onFault }: FollowOptions, { events, position }: Excerpt): void {
  for (const recorded of events) {
    const streams = held.find(({ prefix }) => recorded.stream.startsWith(prefix))
    try {
      streams?.hear(recorded)
    } catch (error) {
      streams?.distrust(recorded.stream)
      onFault(error)
    }
  }
  if (position > followed.position) followed.position = position
}

/** An outage shows by itself: what is held grows too old. */
async function ask(options: FollowOptions, mark: Mark, signal: AbortSignal): Promise<void> {
  const { events, clock } = options
  while (!signal.aborted) {
    const atMs = clock.nowMs()
    const head = await events.head().catch(() => undefined)
    if (head !== undefined) mark.set(head, atMs)
    await pause(askEveryMs, signal)
  }
}
