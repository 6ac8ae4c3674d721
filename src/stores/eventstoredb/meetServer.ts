/** The first words with a server: whether it is there, lets us in, and is one that can be used. */

import { setTimeout as delay } from 'node:timers/promises'
import type { Connection, Line } from './connection.ts'
import type { LogEnd } from './logEnd.ts'
import { isDamagedLog, isDenied, wordsOfError } from './protocolTrouble.ts'

export interface MeetOptions {
  readonly connection: Connection
  readonly end: LogEnd
  /** How long the server may take to be there, and to answer one question. */
  readonly startMs: number
  readonly readMs: number
}

/** Time between two tries. */
const pauseMs = 250

/**
 * Settles when the server has said what it can do and where its log ends. Rejects with an `Error` for an operator when it does not in
 * time, when it denies access, and when it is older than 22.6.
 */
export async function meetServer(options: MeetOptions): Promise<void> {
  const { connection, startMs } = options
  const untilMs = performance.now() + startMs
  for (;;) {
    const line = connection.line()
    try {
      return await meetOnce(options, line)
    } catch (error) {
      // the client keeps what it was told first, even that the server could not tell
      connection.giveUp(line)
      if (error instanceof UnfitServer) throw error
      if (isDenied(causeOf(error)) || isDamagedLog(error) || performance.now() >= untilMs) {
        throw refusal(error)
      }
    }
    await delay(pauseMs)
  }
}

class UnfitServer extends Error {}

async function meetOnce({ end, readMs }: MeetOptions, line: Line): Promise<void> {
  if (!(await inTime(line.isModern(), readMs))) {
    throw new UnfitServer(
      'EVENTSTORE_URL leads to an EventStoreDB that is too old: Vigil needs 22.6 or newer.',
    )
  }
  await end.find()
}

function refusal(error: unknown): Error {
  const words = wordsOfError(causeOf(error))
  return new Error(`Cannot use the EventStoreDB that EVENTSTORE_URL leads to: ${words}.`, {
    cause: error,
  })
}

function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? causeOf(error.cause) : error
}

async function inTime<Value>(work: Promise<Value>, ms: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
