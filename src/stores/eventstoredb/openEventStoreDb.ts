/** Opens the event store on EventStoreDB, after checking that its log has the witnessed events. */

import type { CommitStatistics, EventStore, LogWitness } from '../eventStore.ts'
import { awaitServer } from './awaitServer.ts'
import { isDamagedLog } from './eventStoreDbErrors.ts'
import { openEventStoreDbReader } from './eventStoreDbReader.ts'
import {
  type LogConnection,
  type LogConnectionOptions,
  openLogConnection,
} from './logConnection.ts'
import { openAppender } from './retryAppends.ts'

export interface EventStoreDbOptions extends LogConnectionOptions {
  readonly onCommit?: (statistics: CommitStatistics) => void
  /** Called with why the log accepts no more appends, and with undefined when it does again. */
  readonly onHealthChange?: (reason: string | undefined) => void
  /** Called once with what a start waits for when the server is not there at once. */
  readonly onWaiting?: (what: string) => void
  /** Called with why a subscription has ended; it is resumed by itself. */
  readonly onDrop?: (reason: unknown) => void
}

export interface EventStoreDb extends EventStore {
  /** Whether the log has the event. Rejects with `unavailable`. */
  readonly hasEvent: (witness: LogWitness) => Promise<boolean>
}

/**
 * Opens the store once the server answers. Rejects with an `Error` for the operator when it does not in time, denies access, is older than
 * 22.6, or its log lacks events of its witnesses. There may be one such store in a thread.
 */
export async function openEventStoreDb(
  options: EventStoreDbOptions,
  witnesses: readonly LogWitness[] = [],
): Promise<EventStoreDb> {
  const log = openLogConnection(options)
  try {
    await awaitServer(log, options.onWaiting)
    for (const witness of witnesses) await refuseWithout(log, witness)
  } catch (error) {
    await log.close()
    throw error
  }
  return openStore(log, options)
}

/** The store on a server that was already met; no request is made before the first use. */
export function joinEventStoreDb(options: EventStoreDbOptions): EventStoreDb {
  return openStore(openLogConnection(options), options)
}

function openStore(log: LogConnection, options: EventStoreDbOptions): EventStoreDb {
  const closing = new AbortController()
  const { close, ...appends } = openAppender(log, options)
  const closeAll = async (): Promise<void> => {
    // appends in flight are answered before their connection ends
    await close()
    closing.abort()
    await log.close()
  }
  let closed: Promise<void> | undefined
  return {
    ...openEventStoreDbReader({ log, onDrop: options.onDrop, closed: closing.signal }),
    ...appends,
    hasEvent: (witness) => hasEvent(log, witness),
    close: () => {
      closed ??= closeAll()
      return closed
    },
  }
}

/** Rejects with an `Error` for the operator when the log lacks a witness: it is an older copy, or another log. */
async function refuseWithout(log: LogConnection, witness: LogWitness): Promise<void> {
  if (await hasEvent(log, witness)) return
  const { by, position } = witness
  throw new Error(
    `Cannot use the log that EVENTSTORE_URL leads to: ${by} remembers an event at position ${position} that it does not have; it ends at ${await log.end.find()}. Nothing was changed. Restore the log that this data folder belongs to, or name another folder with VIGIL_DATA; to go on without what is missing: vigil restore --accept-loss.`,
  )
}

async function hasEvent({ eventAt }: LogConnection, { position, id }: LogWitness) {
  try {
    return (await eventAt(position))?.id === id
  } catch (error) {
    if (isDamagedLog(error)) return false
    throw error
  }
}
