/** Connects a thread to MongoDB, guards its calls, and waits at start until it answers. */

import {
  type Db,
  MongoClient,
  MongoCompatibilityError,
  MongoInvalidArgumentError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb'
import { parseMongoDbUrl } from '../connectionStrings.ts'
import { retry } from '../retry.ts'
import { withTimeout } from '../withTimeout.ts'
import { callsMs, type MapErrors, mapMongoErrors, mongoErrorText } from './mongoErrors.ts'
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
  /** Connects where that is needed, and asks. Rejects with what the driver throws. */
  readonly call: <Answer>(ask: () => Promise<Answer>) => Promise<Answer>
  /** Rejects with `unavailable` when it takes too long. */
  readonly close: () => Promise<void>
}

/**
 * Connects with a connection string without mistakes, see `findMongoDbUrlMistakes`. Sends nothing yet; the same
 * connections serve every store of the thread.
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
  const close = mapMongoErrors('connection to MongoDB')(() => client.close())
  return { database: client.db(database), call: connectBeforeCalls(client, close), close }
}

/**
 * Connects before the first call, and anew after one that found no server: a client whose first connection fails never
 * recovers by itself, nor does one that checks whether the server is back just when the old connection has ended, see
 * `mapMongoErrors`.
 */
export function connectBeforeCalls(
  client: Pick<MongoClient, 'connect'>,
  close: MongoConnection['close'],
): MongoConnection['call'] {
  let connected: Promise<unknown> | undefined
  let closed = Promise.resolve()
  return async (ask) => {
    connected ??= closed.then(() => client.connect())
    const used = connected
    let isConnected = false
    try {
      await used
      isConnected = true
      return await ask()
    } catch (error) {
      const isLost = !isConnected || error instanceof MongoServerSelectionError
      if (isLost && used === connected) {
        connected = undefined
        closed = close().catch(() => undefined)
      }
      throw error
    }
  }
}

/**
 * Makes functions of a store call over a connection, and fail as `mapMongoErrors` says; `guardLong` those that call
 * many times.
 */
export function guardCalls({ call }: Pick<MongoConnection, 'call'>, what: string) {
  const over =
    (mapErrors: MapErrors): MapErrors =>
    (work) =>
      mapErrors((...args) => call(() => work(...args)))
  return { guard: over(mapMongoErrors(what)), guardLong: over(mapMongoErrors(what, callsMs)) }
}

/** How long a start waits, for one attempt, and between two. */
const startMs = 30_000
const attemptMs = 10_000
const pauses = { backoffMs: 500, backoffMaxMs: 500 }

/** Codes of a server that denies access. */
const denials: ReadonlySet<unknown> = new Set([
  13, // Unauthorized
  18, // AuthenticationFailed
  8_000, // AtlasError, of a wrong user or password
])

/**
 * Settles once the database answers; `onWait` is called with why it waits, first and whenever the reason changes.
 * Rejects with an `Error` for an operator when it does not answer in time, denies access or is older than MongoDB 4.4;
 * no error quotes a password.
 */
export async function awaitMongoDb(
  { database, call }: MongoConnection,
  onWait?: (reason: string) => void,
): Promise<void> {
  const until = Date.now() + startMs
  const late = () => new Error(`no answer within ${attemptMs} ms`)
  const ask = () => call(() => database.collection(stateCollection).findOne({}))
  let reported: string | undefined
  const onFailure = (error: unknown): void => {
    const reason = mongoErrorText(error)
    if (isFinal(error)) throw refusal(reason)
    if (Date.now() >= until) throw refusal(`${reason}, for ${Math.round(startMs / 1_000)} s`)
    if (reason !== reported) onWait?.(reason)
    reported = reason
  }
  await retry(() => withTimeout(ask(), attemptMs, late), onFailure, pauses)
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
