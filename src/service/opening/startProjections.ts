/** Starts the projections, in a thread of their own or in the caller's. */

import type { Chance, Clock } from '../../domain/clock.ts'
import type { Role } from '../../domain/role.ts'
import { uuidV7 } from '../../domain/uuid.ts'
import { decode } from '../../events/catalogue.ts'
import { readModels } from '../../projections/readModels.ts'
import type { Alarm, SharedProjections } from '../../projections/running/projections.ts'
import { openRemoteProjections } from '../../projections/running/remoteProjections.ts'
import { type ShareOptions, shareProjections } from '../../projections/running/shareProjections.ts'
import { startThread } from '../../stores/embedded/startThread.ts'
import { type DocumentSource, documentStores } from './documentStores.ts'
import type { OpenedLog } from './openLog.ts'
import type { ProjectionThreadStart } from './projectionThread.ts'
import { threadOf } from './threadOf.ts'

export interface StartProjectionsOptions {
  readonly folder: string
  readonly log: Pick<OpenedLog, 'events' | 'source'>
  /** Where the read models are kept. */
  readonly documents: DocumentSource
  readonly thread: 'own' | 'caller'
  readonly clock: Clock
  readonly chance: Chance
  /** As `api` they are watched only; they may run here unless given. */
  readonly role?: Role
  readonly onAlarm: (alarm: Alarm) => void
  readonly onHolding?: ShareOptions['onHolding']
  /** Other times, and another clock for the leases, only for tests in the caller's thread. */
  readonly times?: ShareOptions['times']
}

/**
 * Resolves when the read models can be opened for reading; they may still be catching up, here or in another instance. Rejects with an
 * `Error` that names the file when they cannot be used. Closing finishes the batch in hand; it must come before the event store is closed.
 */
export async function startProjections(
  options: StartProjectionsOptions,
): Promise<SharedProjections> {
  const owner = uuidV7(options.clock, options.chance)
  return options.thread === 'own' ? inOwnThread(options, owner) : inCallersThread(options, owner)
}

function inOwnThread(
  { folder, log, documents, role, onAlarm, onHolding }: StartProjectionsOptions,
  owner: string,
): Promise<SharedProjections> {
  const mayRun = role !== 'api'
  const start: ProjectionThreadStart = { folder, log: log.source, documents, owner, mayRun }
  // one that takes the place of another comes to files that others have open
  const again = { ...start, documents: { ...documents, mayRebuild: false } }
  let hasStarted = false
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const module = new URL(`./projectionThread.${extension}`, import.meta.url)
  return openRemoteProjections({
    projections: readModels,
    onAlarm,
    ...(onHolding && { onHolding }),
    start: () => {
      const given = hasStarted ? again : start
      hasStarted = true
      return threadOf(startThread(module, given))
    },
  })
}

async function inCallersThread(
  options: StartProjectionsOptions,
  owner: string,
): Promise<SharedProjections> {
  const { log, documents, role, clock, chance, onAlarm, onHolding, times } = options
  const { nowMs } = clock
  const { events: eventStore } = log
  const { forWriting } = await documentStores(documents)
  const onRebuild = (message: string): void => onAlarm({ kind: 'rebuilt', message })
  const readStore = forWriting({ nowMs, onRebuild })
  const shared = shareProjections({
    eventStore,
    readStore,
    projections: readModels,
    decode,
    onOtherLog: 'rebuild',
    owner,
    mayRun: role !== 'api',
    nowMs,
    newId: () => uuidV7(clock, chance),
    onAlarm,
    ...(onHolding && { onHolding }),
    ...(times && { times }),
  })
  return {
    ...shared,
    close: async () => {
      await shared.close()
      await readStore.close()
    },
  }
}
