/**
 * Retries an append until its outcome is known: same ids, same revision, so that it is idempotent.
 * While the server still writes the first attempt, it answers the second with a wrong revision (docs/decisions/grpc-calls-to-eventstoredb.md): so
 * the events at that revision are read before the answer is believed. No caller retries an append again.
 */

import { setTimeout as delay } from 'node:timers/promises'
import type { Append, Appended, WrongRevision } from '../../eventStore.ts'
import type { Connection } from '../connection.ts'
import { streamRequest } from '../messages.ts'
import { unreachable } from '../protocolErrors.ts'
import type { PageReader } from '../readPage.ts'
import { type AppendOutcome, unknown } from './appendOutcome.ts'

export interface AppendPace {
  /** How long one try may take; the server answers after two seconds by itself. */
  readonly attemptMs: number
  /** How often an append is sent before it is left to the caller. */
  readonly attempts: number
  /** The first wait between two of them; each next one is twice as long. */
  readonly pauseMs: number
  /** From then on it is not sent again. */
  readonly againMs: number
}

/** At most 12 s in all, which is less than a request has; an election, whose refusals come at once, takes up to 3 s. */
export const appendPace: AppendPace = Object.freeze({
  attemptMs: 3_000,
  attempts: 8,
  pauseMs: 50,
  againMs: 9_000,
})

export interface SureAppendOptions {
  readonly connection: Connection
  readonly reader: PageReader
  readonly pace: AppendPace
  /** Told of every append: undefined when the server has answered it, why not otherwise. */
  readonly note: (trouble: Error | undefined) => void
}

export interface SureAppends {
  /** Rejects with `unavailable` when it is still unknown at the end, and with what the server refuses it for. */
  readonly append: (append: Append) => Promise<Appended | WrongRevision>
  /** Settles when none is under way. */
  readonly settled: () => Promise<void>
}

export function sureAppends(options: SureAppendOptions): SureAppends {
  const underWay = new Map<string, Promise<Appended | WrongRevision>>()
  return {
    append: (append) => {
      const key = keyOf(append)
      const running = underWay.get(key)
      if (running) return running
      const appending = appendOnce(options, append).finally(() => underWay.delete(key))
      underWay.set(key, appending)
      return appending
    },
    settled: async () => {
      while (underWay.size > 0) await Promise.allSettled(underWay.values())
    },
  }
}

/** What the server compares: the stream, the revision and the ids. */
function keyOf({ stream, expected, events }: Append): string {
  return JSON.stringify([stream, expected, events.map(({ id }) => id.toLowerCase())])
}

async function appendOnce(
  options: SureAppendOptions,
  append: Append,
): Promise<Appended | WrongRevision> {
  const { note } = options
  const outcome = await sendUntilKnown(options, append)
  if (outcome.kind === 'answered') {
    note(undefined)
    return outcome.answer
  }
  const failure = outcome.kind === 'refused' ? outcome.failure : unreachable(reasonOf(outcome))
  note(failure)
  throw failure
}

function reasonOf(outcome: Exclude<AppendOutcome, { kind: 'answered' | 'refused' }>): Error {
  return outcome.kind === 'unknown' ? outcome.reason : new Error('the append has no events')
}

/** The last of the outcomes, which is unknown only when all were. */
async function sendUntilKnown(
  { connection, reader, pace }: SureAppendOptions,
  append: Append,
): Promise<AppendOutcome> {
  const { attempts, attemptMs, pauseMs, againMs } = pace
  const begunMs = performance.now()
  for (let attempt = 1; ; attempt += 1) {
    const sent = await connection.line().send(append, attemptMs)
    const outcome = isWrong(sent) ? await comparedWithWritten(reader, append, sent) : sent
    const isLast = attempt >= attempts || performance.now() - begunMs >= againMs
    if (outcome.kind !== 'unknown' || isLast) return outcome
    await delay(pauseMs * 2 ** (attempt - 1))
  }
}

interface WrongOutcome {
  readonly kind: 'answered'
  readonly answer: WrongRevision
}

function isWrong(outcome: AppendOutcome): outcome is WrongOutcome {
  return outcome.kind === 'answered' && !outcome.answer.ok
}

/** A wrong revision is this append's own where its events stand at the place that they were sent to. */
async function comparedWithWritten(
  reader: PageReader,
  { stream, expected, events }: Append,
  wrong: WrongOutcome,
): Promise<AppendOutcome> {
  const from = expected === 'no_stream' ? 0 : expected + 1
  const last = from + events.length - 1
  const { actual } = wrong.answer
  if (actual === 'no_stream' || actual < last) return wrong
  try {
    const written = await reader.read(streamRequest(stream, { from, limit: events.length }))
    if (written.length < events.length) return unknown(new Error('the stream is being written'))
    const isOwn = written.every(({ event }, at) => event.id === events[at]?.id.toLowerCase())
    const position = written.at(-1)?.event.position
    if (!isOwn || position === undefined) return wrong
    return { kind: 'answered', answer: { ok: true, revision: last, position } }
  } catch (error) {
    return unknown(error instanceof Error ? error : new Error(String(error)))
  }
}
