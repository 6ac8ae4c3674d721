/**
 * Appends until it is known what became of it: one whose outcome is unknown is sent again as it is, with the same ids at the same
 * revision, which the server knows if it has it. Equal appends under way are one: the server answers all but one of them as failed.
 */

import { setTimeout as delay } from 'node:timers/promises'
import type { Append, Appended, WrongRevision } from '../eventStore.ts'
import type { AppendOutcome } from './appendOutcome.ts'
import type { Connection } from './connection.ts'
import { unreachable } from './protocolTrouble.ts'

export interface AppendPace {
  /** How long one try may take; the server answers after two seconds by itself. */
  readonly attemptMs: number
  /** How often an append is sent before it is left to the caller. */
  readonly attempts: number
  /** The first wait between two of them; each next one is twice as long. */
  readonly pauseMs: number
}

export const appendPace: AppendPace = Object.freeze({ attemptMs: 3_000, attempts: 4, pauseMs: 50 })

export interface SureAppendOptions {
  readonly connection: Connection
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
  { connection, pace, note }: SureAppendOptions,
  append: Append,
): Promise<Appended | WrongRevision> {
  const outcome = await sendUntilKnown(connection, pace, append)
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
  connection: Connection,
  { attempts, attemptMs, pauseMs }: AppendPace,
  append: Append,
): Promise<AppendOutcome> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await connection.line().send(append, attemptMs)
    if (outcome.kind !== 'unknown' || attempt >= attempts) return outcome
    await delay(pauseMs * 2 ** (attempt - 1))
  }
}
