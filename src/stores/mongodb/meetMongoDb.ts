/** Waits at start until MongoDB answers, up to a time limit, and reports why it waits. */

import { setTimeout as sleep } from 'node:timers/promises'
import { MongoCompatibilityError, MongoInvalidArgumentError, MongoServerError } from 'mongodb'
import type { MongoConnection } from './mongoConnection.ts'
import { wordsOf } from './mongoErrors.ts'
import { stateCollection } from './readModelState.ts'

export interface MeetOptions {
  /** How long it is waited. */
  readonly startMs?: number
  /** Told why it is waited, for the first time and whenever the reason is another one. */
  readonly onWait?: (reason: string) => void
}

const usualStartMs = 30_000
const pauseMs = 500

/** Codes of a server that knows who asks and refuses. */
const denials: ReadonlySet<unknown> = new Set([
  13, // Unauthorized
  18, // AuthenticationFailed
  8_000, // AtlasError, of a wrong user or password
])

/**
 * Settles once the database answers. Rejects with an `Error` for an operator when it does not in time, denies access or is older than
 * MongoDB 4.4; no error quotes a password.
 */
export async function meetMongoDb(
  { database, connected }: Pick<MongoConnection, 'database' | 'connected'>,
  { startMs = usualStartMs, onWait }: MeetOptions = {},
): Promise<void> {
  const until = Date.now() + startMs
  let told: string | undefined
  for (;;) {
    try {
      await connected()
      await database.collection(stateCollection).findOne({})
      return
    } catch (error) {
      const reason = reasonOf(error)
      if (isFinal(error)) throw refusal(reason)
      if (Date.now() >= until) throw refusal(`${reason}, for ${Math.round(startMs / 1_000)} s`)
      if (reason !== told) onWait?.(reason)
      told = reason
    }
    await sleep(pauseMs)
  }
}

function isFinal(error: unknown): boolean {
  if (error instanceof MongoCompatibilityError || error instanceof MongoInvalidArgumentError)
    return true
  return error instanceof MongoServerError && denials.has(error.code)
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? wordsOf(error) : String(error)
}

function refusal(reason: string): Error {
  return new Error(
    `Cannot use the MongoDB that MONGODB_URL leads to: ${reason}. Nothing was changed. Check that it runs, the address, the user and its rights.`,
  )
}
