/** Opens the connection of a thread to MongoDB: timeouts on every wait, majority writes. */

import { type Db, MongoClient } from 'mongodb'
import { mongoDbDatabase, mongoDbPoolMax } from '../mongoDbUrl.ts'

interface MongoPace {
  /** The longest that a call waits for a server that can answer it. */
  readonly selectionMs: number
  /** The longest that is waited for a connection to be made, and for an answer about the state of a server. */
  readonly connectMs: number
  /** The longest that a connection may say nothing while an answer is awaited; the driver asks a second time. */
  readonly silenceMs: number
  /** The longest that is waited for one of the connections, and for the majority to have heard of a write. */
  readonly queueMs: number
}

const usualPace: MongoPace = Object.freeze({
  selectionMs: 3_000,
  connectMs: 3_000,
  silenceMs: 10_000,
  queueMs: 5_000,
})

export interface MongoConnection {
  readonly database: Db
  /** To be awaited before the database is used: as long as it was not reached, it is tried anew. Rejects with what the driver throws. */
  readonly connected: () => Promise<void>
  readonly close: () => Promise<void>
}

export interface MongoConnectionOptions {
  /** A connection string without mistakes, see `mongoDbUrlMistakes`. */
  readonly url: string
  readonly pace?: Partial<MongoPace>
}

/** Nothing is asked yet; the same connections serve every store of the thread. */
export function connectMongoDb(options: MongoConnectionOptions): MongoConnection {
  const { selectionMs, connectMs, silenceMs, queueMs } = { ...usualPace, ...options.pace }
  const client = new MongoClient(options.url, {
    appName: 'vigil',
    maxPoolSize: mongoDbPoolMax(options.url),
    serverSelectionTimeoutMS: selectionMs,
    connectTimeoutMS: connectMs,
    heartbeatFrequencyMS: connectMs,
    socketTimeoutMS: silenceMs,
    waitQueueTimeoutMS: queueMs,
    readPreference: 'primary',
    writeConcern: { w: 'majority', wtimeoutMS: queueMs },
    ignoreUndefined: true,
  })
  return {
    database: client.db(mongoDbDatabase(options.url)),
    connected: onceItSucceeds(async () => {
      await client.connect()
    }),
    close: () => client.close(),
  }
}

/** A client whose first connection fails never works again by itself: it has to be told to connect once more. */
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
