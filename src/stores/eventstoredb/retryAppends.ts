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
  type CommitStatistics,
  charsOf,
  type EventStore,
  type WrongRevision,
} from '../eventStore.ts'
import { type AppendOutcome, unknownOutcome } from './appendCall.ts'
import type { Connection } from './eventStoreDbConnection.ts'
import { closedLog, eventLogUnavailable, eventStoreErrorText } from './protocolErrors.ts'
import { buildReadStreamRequest } from './protocolMessages.ts'
import type { LogEndTracker, PageReader } from './readLogPages.ts'

export interface AppendPace {
  /** Time limit of one attempt; the server answers after two seconds by itself. */
  readonly attemptMs: number
  /** Attempts before the append is left to the caller. */
  readonly attempts: number
  /** The first pause between two of them; each next one is twice as long. */
  readonly pauseMs: number
  /** From then on no attempt is begun. */
  readonly againMs: number
  /** Time between two probes whether appends succeed again. */
  readonly probeEveryMs: number
}

/** At most 12 s in all, which is less than a request has; an election, which refuses at once, takes up to 3 s. */
export const defaultAppendPace: AppendPace = Object.freeze({
  attemptMs: 3_000,
  attempts: 8,
  pauseMs: 50,
  againMs: 9_000,
  probeEveryMs: 5_000,
})

export interface AppendOptions {
  readonly connection: Connection
  readonly reader: PageReader
  readonly end: LogEndTracker
  /** Called after each append that was answered. */
  readonly onCommit: (statistics: CommitStatistics) => void
  readonly pace: AppendPace
  /** Called with why appends have begun to fail, and with undefined when they succeed again. */
  readonly onTrouble: (reason: string | undefined) => void
}

interface Appends extends AppendOptions {
  /** By what the server compares: equal appends at once would make each other time out. */
  readonly inFlight: Map<string, Promise<Appended | WrongRevision>>
  isHealthy: boolean
  isClosed: boolean
  probing: NodeJS.Timeout | undefined
}

/** The write side of the store. Closing it refuses new appends and settles when all in flight are answered. */
export function openAppender(
  options: AppendOptions,
): Pick<EventStore, 'append' | 'isWritable' | 'close'> {
  const appends: Appends = {
    ...options,
    ...{ inFlight: new Map(), isHealthy: true, isClosed: false, probing: undefined },
  }
  const { inFlight, end, onCommit } = appends
  return {
    append: async (append) => {
      checkAppend(append)
      if (appends.isClosed) throw closedLog()
      const begunMs = performance.now()
      const answer = await appendOnce(appends, append)
      const { events } = append
      const durationMs = performance.now() - begunMs
      onCommit({ appends: 1, events: events.length, bytes: charsOf(events), durationMs })
      if (answer.ok) end.note(answer.position)
      return answer
    },
    isWritable: () => appends.isHealthy,
    close: async () => {
      appends.isClosed = true
      clearTimeout(appends.probing)
      while (inFlight.size > 0) await Promise.allSettled(inFlight.values())
    },
  }
}

/** Notes whether the server answered; after a failure it is probed until it does again. */
function noteHealth(appends: Appends, failure: Error | undefined): void {
  const isHealthy = failure === undefined
  if (isHealthy !== appends.isHealthy) {
    appends.onTrouble(failure && eventStoreErrorText(failure.cause ?? failure))
  }
  appends.isHealthy = isHealthy
  if (isHealthy || appends.isClosed || appends.probing !== undefined) return
  appends.probing = setTimeout(() => void probe(appends), appends.pace.probeEveryMs).unref()
}

/** Never has an event. */
const probeStream = 'vigil_probe'

async function probe(appends: Appends): Promise<void> {
  const { connection, pace } = appends
  const append = { stream: probeStream, events: [], expected: 'any' } as const
  const outcome = await connection.client().send(append, pace.attemptMs)
  appends.probing = undefined
  if (!appends.isClosed) noteHealth(appends, 'reason' in outcome ? outcome.reason : undefined)
}

/** Rejects with `unavailable` when the outcome is still unknown at the end, and with the server's reason when it refuses. */
function appendOnce(appends: Appends, append: Append): Promise<Appended | WrongRevision> {
  const { inFlight } = appends
  const { stream, expected, events } = append
  const key = JSON.stringify([stream, expected, events.map(({ id }) => id.toLowerCase())])
  const known = inFlight.get(key)
  if (known) return known
  const appending = appendUntilKnown(appends, append).finally(() => inFlight.delete(key))
  inFlight.set(key, appending)
  return appending
}

async function appendUntilKnown(
  appends: Appends,
  append: Append,
): Promise<Appended | WrongRevision> {
  const outcome = await sendUntilKnown(appends, append)
  if (outcome.kind === 'answered') {
    noteHealth(appends, undefined)
    return outcome.answer
  }
  const reason = 'reason' in outcome ? outcome.reason : new Error('the append has no events')
  const failure = outcome.kind === 'refused' ? reason : eventLogUnavailable(reason)
  noteHealth(appends, failure)
  throw failure
}

/** The outcome of the last attempt, which is unknown only when all were. */
async function sendUntilKnown(
  { connection, reader, pace }: Appends,
  append: Append,
): Promise<AppendOutcome> {
  const { attempts, attemptMs, pauseMs, againMs } = pace
  const begunMs = performance.now()
  for (let attempt = 1; ; attempt += 1) {
    const sent = await connection.client().send(append, attemptMs)
    const isWrong = sent.kind === 'answered' && !sent.answer.ok
    const outcome = isWrong ? await verifiedWrong(reader, append, sent.answer) : sent
    const isLast = attempt >= attempts || performance.now() - begunMs >= againMs
    if (outcome.kind !== 'unknown' || isLast) return outcome
    await delay(pauseMs * 2 ** (attempt - 1))
  }
}

/** A wrong revision is the append's own success when its events are stored at the revisions they were sent to. */
async function verifiedWrong(
  reader: PageReader,
  { stream, expected, events }: Append,
  wrong: WrongRevision,
): Promise<AppendOutcome> {
  const answered = { kind: 'answered', answer: wrong } as const
  const from = expected === 'no_stream' ? 0 : expected + 1
  const last = from + events.length - 1
  if (wrong.actual === 'no_stream' || wrong.actual < last) return answered
  try {
    const written = await reader(buildReadStreamRequest(stream, { from, limit: events.length }))
    if (written.length < events.length) return unknownOutcome('the stream is being written')
    const isOwn = written.every(({ id }, at) => id === events[at]?.id.toLowerCase())
    const position = written.at(-1)?.position
    if (!isOwn || position === undefined) return answered
    return { kind: 'answered', answer: { ok: true, revision: last, position } }
  } catch (error) {
    return unknownOutcome(eventStoreErrorText(error))
  }
}
