/** Opens the event store on EventStoreDB, after checking that its log has the witnessed events. */

import type { CommitStatistics, EventStore } from '../eventStore.ts'
import { parseEventStoreUrl } from '../eventStoreUrl.ts'
import { awaitServer } from './awaitServer.ts'
import { type Connection, openConnection } from './eventStoreDbConnection.ts'
import { openEventStoreDbReader } from './eventStoreDbReader.ts'
import { defaultFollowPace, type FollowPace } from './followLog.ts'
import { openGrpcCalls } from './grpcCalls.ts'
import { isDamagedLog } from './protocolErrors.ts'
import { buildReadLogRequest } from './protocolMessages.ts'
import {
  createLogEndTracker,
  createPageReader,
  defaultReadPace,
  type LogEndTracker,
  type PageReader,
  type ReadPace,
} from './readLogPages.ts'
import { type AppendPace, defaultAppendPace, openAppender } from './retryAppends.ts'

interface EventStoreDbPace extends AppendPace, ReadPace, FollowPace {
  /** How long a start waits for the server. */
  readonly startMs: number
}

export interface EventStoreDbOptions {
  /** A connection string without mistakes, see `findEventStoreUrlMistakes`. */
  readonly url: string
  readonly onCommit?: (statistics: CommitStatistics) => void
  /** Called with why the log accepts no more appends, and with undefined when it does again. */
  readonly onTrouble?: (reason: string | undefined) => void
  /** Called once with what a start waits for when the server is not there at once. */
  readonly onWaiting?: (what: string) => void
  /** Called with why a subscription has ended; it is resumed by itself. */
  readonly onDrop?: (reason: unknown) => void
  readonly pace?: Partial<EventStoreDbPace>
}

const usualPace: EventStoreDbPace = Object.freeze({
  ...defaultAppendPace,
  ...defaultReadPace,
  ...defaultFollowPace,
  startMs: 30_000,
})

/** An event that another store recorded as written to the log. */
interface RememberedEvent {
  readonly by: string
  readonly position: number
  readonly id: string
}

export interface EventStoreDb extends EventStore {
  /** Whether the log has the event. Rejects with `unavailable`. */
  readonly hasEvent: (witness: RememberedEvent) => Promise<boolean>
}

/**
 * Opens the store once the server answers. Rejects with an `Error` for the operator when it does not in time, denies access, is older than
 * 22.6, or its log lacks events of its witnesses. There may be one such store in a thread.
 */
export async function openEventStoreDb(
  options: EventStoreDbOptions,
  witnesses: readonly RememberedEvent[] = [],
): Promise<EventStoreDb> {
  const met = connectLog(options)
  try {
    await awaitServer({ ...met, ...met.pace, onWaiting: options.onWaiting })
    for (const witness of witnesses) await refuseWithout(met, witness)
  } catch (error) {
    await met.connection.close()
    throw error
  }
  return openStore(met, options)
}

/** The store on a server that was already met; no request is made before the first use. */
export function joinEventStoreDb(options: EventStoreDbOptions): EventStoreDb {
  return openStore(connectLog(options), options)
}

/** The connection to the log, and what reads it. */
interface Link {
  readonly connection: Connection
  readonly reader: PageReader
  readonly end: LogEndTracker
  readonly pace: EventStoreDbPace
}

function connectLog({ url, pace: given }: EventStoreDbOptions): Link {
  const pace = { ...usualPace, ...given }
  const address = parseEventStoreUrl(url)
  const connection = openConnection((generation) => openGrpcCalls(address, generation))
  const reader = createPageReader(connection, pace)
  return { connection, reader, end: createLogEndTracker(reader), pace }
}

function openStore(
  { connection, reader, end, pace }: Link,
  { onCommit, onTrouble, onDrop }: EventStoreDbOptions,
): EventStoreDb {
  const closing = new AbortController()
  const reads = openEventStoreDbReader({
    ...{ connection, reader, end, pace },
    onDrop: (reason) => onDrop?.(reason),
    closed: closing.signal,
  })
  const { close, ...appends } = openAppender({
    ...{ connection, reader, end, pace },
    onCommit: (statistics) => onCommit?.(statistics),
    onTrouble: (reason) => onTrouble?.(reason),
  })
  const closeAll = async (): Promise<void> => {
    // appends in flight are answered before their connection ends
    await close()
    closing.abort()
    await connection.close()
  }
  let closed: Promise<void> | undefined
  return {
    ...reads,
    ...appends,
    hasEvent: (witness) => hasEvent(reader, witness),
    close: () => {
      closed ??= closeAll()
      return closed
    },
  }
}

/** Rejects with an `Error` for the operator when the log lacks a witness: it is an older copy, or another log. */
async function refuseWithout({ reader, end }: Link, witness: RememberedEvent): Promise<void> {
  if (await hasEvent(reader, witness)) return
  const { by, position } = witness
  throw new Error(
    `Cannot use the log that EVENTSTORE_URL leads to: ${by} remembers an event at position ${position} that it does not have; it ends at ${await end.find()}. Nothing was changed. Restore the log that this data folder belongs to, or name another folder with VIGIL_DATA; to go on without what is missing: vigil restore --accept-loss.`,
  )
}

async function hasEvent(reader: PageReader, { position, id }: RememberedEvent): Promise<boolean> {
  try {
    const [found] = await reader(
      buildReadLogRequest({ from: position, direction: 'forwards', limit: 1 }),
    )
    return found?.position === position && found.id === id
  } catch (error) {
    if (isDamagedLog(error)) return false
    throw error
  }
}
