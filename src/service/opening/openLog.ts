/** Opens the log: the one in the data folder, or the one that a server keeps. */

import { randomUUID } from 'node:crypto'
import type { Logger } from '../../log.ts'
import { lockFolder, openDataFolder } from '../../stores/embedded/dataFolder.ts'
import { openEmbeddedEventStore } from '../../stores/embedded/embeddedEventStore.ts'
import type { LogWitness } from '../../stores/embedded/witnesses.ts'
import type { EventStore } from '../../stores/eventStore.ts'
import type { StoreOptions, Threads } from './openStores.ts'

/** How a thread of this process comes to the log that its other threads have open. */
export type LogSource =
  | { readonly kind: 'embedded'; readonly headBuffer: SharedArrayBuffer }
  | { readonly kind: 'eventStoreDb'; readonly url: string }

export interface OpenedLog {
  readonly events: EventStore
  readonly source: LogSource
  /** See `ViewsOptions`. */
  readonly session: string
}

/**
 * `witnesses` is what others than the folder know of the log; without threads the caller's writes it. Keeps other processes out of
 * the folder until the log is closed. Rejects with an `Error` that says what to do.
 */
export function openLog(
  options: StoreOptions,
  witnesses: readonly LogWitness[],
  threads: Threads | undefined,
): Promise<OpenedLog> {
  return options.eventStoreUrl === undefined
    ? openEmbedded(options, threads)
    : openServer(options, options.eventStoreUrl, witnesses)
}

async function openEmbedded(
  options: StoreOptions,
  threads: Threads | undefined,
): Promise<OpenedLog> {
  const { dataFolder: folder, metrics, logger } = options
  const events = await openEmbeddedEventStore({
    folder,
    ...(threads && { moveWal: (file) => threads.readModels.ask('moveWal', file) }),
    thread: threads?.owner ?? 'caller',
    onCommit: metrics.committed,
    onTrouble: (reason) => sayTrouble(logger, reason),
  })
  const { headBuffer, session } = events
  return { events, session, source: { kind: 'embedded', headBuffer } }
}

async function openServer(
  options: StoreOptions,
  url: string,
  witnesses: readonly LogWitness[],
): Promise<OpenedLog> {
  const { metrics, logger } = options
  const unlock = lockFolder(openDataFolder(options.dataFolder))
  try {
    // loaded only here: whoever keeps the log in the folder needs nothing of it
    const { openEventStoreDb } = await import('../../stores/eventstoredb/openEventStoreDb.ts')
    const told = { url, ...serverTold(logger), onCommit: metrics.committed }
    const server = await openEventStoreDb(told, witnesses)
    const close = once(async () => {
      await server.close()
      unlock()
    })
    const source = { kind: 'eventStoreDb', url } as const
    return { events: { ...server, close }, session: randomUUID(), source }
  } catch (error) {
    unlock()
    throw error
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= work()
    return done
  }
}

/** What the operator hears of a server. */
function serverTold(logger: Pick<Logger, 'info' | 'warn' | 'error'>) {
  return {
    onTrouble: (reason: string | undefined) => sayTrouble(logger, reason),
    onWaiting: (what: string) => logger.warn(what),
    onDrop: (reason: unknown) => {
      const why = reason instanceof Error ? reason.message : String(reason)
      logger.warn({ why }, 'EventStoreDB stopped to deliver events; they are asked for again.')
    },
    onClockAhead: (ms: number) => {
      const seconds = Math.round(ms / 1_000)
      logger.warn(
        { seconds },
        'The clock of EventStoreDB is ahead of the clock here: by a minute it takes no appends.',
      )
    },
  }
}

function sayTrouble(logger: Pick<Logger, 'info' | 'error'>, reason: string | undefined): void {
  if (reason === undefined) logger.info('The event log takes appends again.')
  else logger.error({ reason }, 'The event log takes no appends.')
}
