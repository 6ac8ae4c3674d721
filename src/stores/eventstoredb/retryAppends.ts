/** Appends to EventStoreDB, retries until the outcome is known, and probes after failures. */

/*
 * While the server still writes the first attempt, it answers the second with a wrong revision (docs/decisions/grpc-calls-to-eventstoredb.md): so
 * the events at that revision are read before the answer is believed. No caller retries an append again.
 */

import { setTimeout as delay } from 'node:timers/promises'
import { checkAppend } from '../checkAppend.ts'
import {
  type Append,
  type Appended,
  charsOf,
  type EventStore,
  type WrongRevision,
} from '../eventStore.ts'
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
    /** Throws `unavailable` when the outcome is unknown or access is denied, and the server's reason when it refuses. */
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
  const { attempts, attemptMs, pauseMs, againMs } = log.pace
  const begunMs = performance.now()
  for (let attempt = 1; ; attempt += 1) {
    const sent = await log.client().send(append, attemptMs)
    const isWrong = sent.kind === 'answered' && !sent.answer.ok
    const outcome = isWrong ? await verifiedWrong(log, append, sent.answer) : sent
    const isLast = attempt >= attempts || performance.now() - begunMs >= againMs
    if (outcome.kind !== 'unknown' || isLast) return outcome
    await delay(pauseMs * 2 ** (attempt - 1))
  }
}

/** A wrong revision is the append's own success when its events are stored at the revisions they were sent to. */
async function verifiedWrong(
  { readPage }: LogConnection,
  { stream, expected, events }: Append,
  wrong: WrongRevision,
): Promise<AppendOutcome> {
  const answered = { kind: 'answered', answer: wrong } as const
  const from = expected === 'no_stream' ? 0 : expected + 1
  const last = from + events.length - 1
  if (wrong.actual === 'no_stream' || wrong.actual < last) return answered
  try {
    const written = await readPage(buildReadStreamRequest(stream, { from, limit: events.length }))
    if (written.length < events.length) return unknownOutcome('the stream is being written')
    const isOwn = written.every(({ id }, at) => id === events[at]?.id.toLowerCase())
    const position = written.at(-1)?.position
    if (!isOwn || position === undefined) return answered
    return { kind: 'answered', answer: { ok: true, revision: last, position } }
  } catch (error) {
    return unknownOutcome(eventStoreErrorText(error))
  }
}
