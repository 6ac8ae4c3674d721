/** Appends to EventStoreDB, retries until the outcome is known, and probes after failures. */

/**
 * While the server still writes the first attempt, it answers the second with a wrong revision
 * (docs/decisions/grpc-calls-to-eventstoredb.md): so the events at that revision are read before the answer is
 * believed. No caller retries an append again.
 */

import { checkAppend } from '../checkAppend.ts'
import {
  type Append,
  type Appended,
  charsOf,
  type EventStore,
  type WrongRevision,
} from '../eventStore.ts'
import { backOff } from '../retry.ts'
import {
  eventStoreErrorText,
  logClosedFailure,
  logUnavailableFailure,
} from './eventStoreDbErrors.ts'
import type { LogConnection } from './logConnection.ts'
import type { EventStoreDbOptions } from './openEventStoreDb.ts'
import { buildReadStreamRequest } from './protocolMessages.ts'
import { type AppendOutcome, unknownOutcome } from './sendAppends.ts'

/** The write side of the store. Closing it refuses new appends and settles when all in flight are answered. */
export function openAppender(
  log: LogConnection,
  { onCommit, onHealthChange }: Pick<EventStoreDbOptions, 'onCommit' | 'onHealthChange'>,
): Pick<EventStore, 'append' | 'isWritable' | 'close'> {
  const health = trackHealth(log, onHealthChange)
  /** By what the server compares: equal appends at once would make each other time out. */
  const inFlight = new Map<string, Promise<Appended | WrongRevision>>()
  let isClosed = false

  const appendOnce = (append: Append): Promise<Appended | WrongRevision> => {
    const { stream, expected, events } = append
    const key = JSON.stringify([stream, expected, events.map(({ id }) => id.toLowerCase())])
    const known = inFlight.get(key)
    if (known) return known
    const appending = health
      .answerOf(() => appendUntilKnown(log, append))
      .finally(() => inFlight.delete(key))
    inFlight.set(key, appending)
    return appending
  }
  return {
    append: async (append) => {
      checkAppend(append)
      if (isClosed) throw logClosedFailure()
      const begunMs = performance.now()
      const answer = await appendOnce(append)
      const { events } = append
      const durationMs = performance.now() - begunMs
      onCommit?.({ appends: 1, events: events.length, bytes: charsOf(events), durationMs })
      if (answer.ok) log.end.note(answer.position)
      return answer
    },
    isWritable: health.isHealthy,
    close: async () => {
      isClosed = true
      health.close()
      while (inFlight.size > 0) await Promise.allSettled(inFlight.values())
    },
  }
}

/** Never has an event. */
const probeStream = 'vigil_probe'

/** Tracks whether the server takes appends; after a failure it is probed until it does again. */
function trackHealth(
  { client, pace }: LogConnection,
  onHealthChange: EventStoreDbOptions['onHealthChange'],
) {
  let isHealthy = true
  let isClosed = false
  let probing: NodeJS.Timeout | undefined
  /** Appends that the server has taken, or refused for what they are. */
  let answers = 0

  const note = (failure: unknown): void => {
    if (isClosed) return
    const isAnswered = failure === undefined
    if (isAnswered !== isHealthy) {
      onHealthChange?.(isAnswered ? undefined : eventStoreErrorText(failure))
    }
    isHealthy = isAnswered
    if (isHealthy) {
      clearTimeout(probing)
      probing = undefined
    } else probing ??= setTimeout(() => void probe(), pace.probeEveryMs).unref()
  }
  const track = async (sending: () => Promise<AppendOutcome>): Promise<AppendOutcome> => {
    const before = answers
    const outcome = await sending()
    const { kind } = outcome
    if (kind === 'answered' || kind === 'refused') {
      answers += 1
      note(undefined)
      // a failure older than an answer says nothing about the server as it is
    } else if (answers === before) note(outcome.reason)
    return outcome
  }
  const probe = async (): Promise<void> => {
    probing = undefined
    const append = { stream: probeStream, events: [], expected: 'any' } as const
    await track(() => client().send(append, pace.attemptMs))
  }
  return {
    /** Throws `unavailable` for an unknown outcome or denied access, and the server's reason when it refuses. */
    answerOf: async (sending: () => Promise<AppendOutcome>): Promise<Appended | WrongRevision> => {
      const outcome = await track(sending)
      if (outcome.kind === 'answered') return outcome.answer
      throw outcome.kind === 'refused' ? outcome.reason : logUnavailableFailure(outcome.reason)
    },
    isHealthy: () => isHealthy,
    close: () => {
      isClosed = true
      clearTimeout(probing)
    },
  }
}

/** The outcome of the last attempt, which is unknown only when all were. */
async function appendUntilKnown(log: LogConnection, append: Append): Promise<AppendOutcome> {
  const { attempts, againMs } = log.pace
  const begunMs = performance.now()
  const backoff = { ...log.pace, failures: 0 }
  for (;;) {
    const sent = await sendOrFind(log, append)
    const isWrong = sent.kind === 'answered' && !sent.answer.ok
    const outcome = isWrong ? await verifiedWrong(log, append, sent.answer) : sent
    const isLast = backoff.failures + 1 >= attempts || performance.now() - begunMs >= againMs
    if (outcome.kind !== 'unknown' || isLast) return outcome
    await backOff(backoff)
  }
}

/**
 * The outcome of one attempt. A server that is still writing the same append of another instance drops it, and answers
 * seconds later: the stream is read once before that, and an append that is in it is done.
 */
async function sendOrFind(log: LogConnection, append: Append): Promise<AppendOutcome> {
  const sending = log.client().send(append, log.pace.attemptMs)
  let timer: NodeJS.Timeout | undefined
  const looking = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, log.pace.lookMs)
  })
    .then(() => findStored(log, append))
    .then(
      (found): AppendOutcome | Promise<AppendOutcome> =>
        typeof found === 'object' ? { kind: 'answered', answer: found } : sending,
      () => sending,
    )
  const outcome = await Promise.race([sending, looking])
  clearTimeout(timer)
  return outcome
}

/** A wrong revision is the append's own success when its events are stored at the revisions they were sent to. */
async function verifiedWrong(
  log: LogConnection,
  append: Append,
  wrong: WrongRevision,
): Promise<AppendOutcome> {
  const answered = { kind: 'answered', answer: wrong } as const
  if (wrong.actual === 'no_stream' || wrong.actual < lastRevisionOf(append)) return answered
  try {
    const found = await findStored(log, append)
    if (found === 'missing') return unknownOutcome('the stream is being written')
    return found === 'others' ? answered : { kind: 'answered', answer: found }
  } catch (error) {
    return unknownOutcome(eventStoreErrorText(error))
  }
}

/** What the stream has at the revisions of the append: its own events, fewer, or those of others. */
async function findStored(
  { readPage }: LogConnection,
  append: Append,
): Promise<Appended | 'missing' | 'others'> {
  const { stream, events } = append
  const revision = lastRevisionOf(append)
  const page = { from: revision + 1 - events.length, limit: events.length }
  const stored = await readPage(buildReadStreamRequest(stream, page))
  if (stored.length < events.length) return 'missing'
  const isOwn = stored.every(({ id }, at) => id === events[at]?.id.toLowerCase())
  const position = stored.at(-1)?.position
  return isOwn && position !== undefined ? { ok: true, revision, position } : 'others'
}

/** The revision that the last event of the append was sent to. */
function lastRevisionOf({ expected, events }: Append): number {
  return (expected === 'no_stream' ? -1 : expected) + events.length
}
