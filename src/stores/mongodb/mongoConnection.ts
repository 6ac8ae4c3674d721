/** Opens the connection of a thread to MongoDB, and waits at start until it answers. */

import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Db,
  MongoClient,
  MongoCompatibilityError,
  MongoInvalidArgumentError,
  MongoServerError,
} from 'mongodb'
import { parseMongoDbUrl } from '../connectionStrings.ts'
import { withTimeout } from '../withTimeout.ts'
import { mapMongoErrors, mongoErrorText } from './mongoErrors.ts'
import { stateCollection } from './readModelState.ts'

/** Time limits, since the driver waits half a minute or for ever by default. */
const limits = {
  /** For finding a server that can answer. */
  serverSelectionTimeoutMS: 3_000,
  /** For making a connection, and for an answer about the state of a server. */
  connectTimeoutMS: 3_000,
  heartbeatFrequencyMS: 3_000,
  /** For silence of a connection while an answer is awaited; the driver asks a second time. */
  socketTimeoutMS: 10_000,
  /** For a free connection. */
  waitQueueTimeoutMS: 5_000,
} as const

/** Open connections of a thread; more calls wait for one. */
const usualPoolMax = 20

/** Time limit for the majority to acknowledge a write. */
const wtimeoutMS = 5_000

export interface MongoConnection {
  readonly database: Db
  /** To be awaited before the database is used: connects until it succeeds once. Rejects with what the driver throws. */
  readonly connect: () => Promise<void>
  /** Rejects with `unavailable` when it takes too long. */
  readonly close: () => Promise<void>
}

/**
 * Connects with a connection string without mistakes, see `findMongoDbUrlMistakes`. Sends nothing yet; the same connections serve every store
 * of the thread.
 */
export function connectMongoDb({ url }: { readonly url: string }): MongoConnection {
  const { database, setsPoolMax } = parseMongoDbUrl(url)
  const client = new MongoClient(url, {
    ...limits,
    appName: 'vigil',
    ...(!setsPoolMax && { maxPoolSize: usualPoolMax }),
    readPreference: 'primary',
    writeConcern: { w: 'majority', wtimeoutMS },
    ignoreUndefined: true,
  })
  return {
    database: client.db(database),
    connect: onceItSucceeds(async () => {
      await client.connect()
    }),
    close: mapMongoErrors('connection to MongoDB')(() => client.close()),
  }
}

/** A client whose first connection fails never recovers by itself: it has to connect again. */
function onceItSucceeds(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= work().catch((error: unknown) => {
      done = undefined
      throw error
    })
    return done
  }
}

/** How long a start waits, for one attempt, and between two. */
const startMs = 30_000
const attemptMs = 10_000
const pauseMs = 500

/** Codes of a server that denies access. */
const denials: ReadonlySet<unknown> = new Set([
  13, // Unauthorized
  18, // AuthenticationFailed
  8_000, // AtlasError, of a wrong user or password
])

/**
 * Settles once the database answers; `onWait` is called with why it waits, first and whenever the reason changes. Rejects with an `Error`
 * for an operator when it does not answer in time, denies access or is older than MongoDB 4.4; no error quotes a password.
 */
export async function awaitMongoDb(
  { database, connect: connected }: MongoConnection,
  onWait?: (reason: string) => void,
): Promise<void> {
  const until = Date.now() + startMs
  const late = () => new Error(`no answer within ${attemptMs} ms`)
  const ask = async () => {
    await connected()
    await database.collection(stateCollection).findOne({})
  }
  let reported: string | undefined
  for (;;) {
    try {
      await withTimeout(ask(), attemptMs, late)
      return
    } catch (error) {
      const reason = mongoErrorText(error)
      if (isFinal(error)) throw refusal(reason)
      if (Date.now() >= until) throw refusal(`${reason}, for ${Math.round(startMs / 1_000)} s`)
      if (reason !== reported) onWait?.(reason)
      reported = reason
    }
    await sleep(pauseMs)
  }
}

function isFinal(error: unknown): boolean {
  if (error instanceof MongoCompatibilityError || error instanceof MongoInvalidArgumentError)
    return true
  return error instanceof MongoServerError && denials.has(error.code)
}

function refusal(reason: string): Error {
  return new Error(
    `Cannot use the MongoDB that MONGODB_URL leads to: ${reason}. Nothing was changed. Check that it runs, the address, the user and its rights.`,
  )
}
