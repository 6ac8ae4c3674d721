/** The thread that the projections run in, so that verdicts do not wait for them. */

import { randomBytes } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { uuidV7 } from '../../domain/uuid.ts'
import { decode } from '../../events/catalogue.ts'
import { readModels } from '../../projections/readModels.ts'
import type {
  FromProjections,
  Line,
  ToProjections,
} from '../../projections/running/projectionMessages.ts'
import { type Serving, serveProjections } from '../../projections/running/serveProjections.ts'
import { shareProjections } from '../../projections/running/shareProjections.ts'
import {
  type EventReader,
  openEmbeddedEventReader,
} from '../../stores/embedded/embeddedEventReader.ts'
import { type DocumentSource, type DocumentStores, documentStores } from './documentStores.ts'
import { giveWay } from './giveWay.ts'
import type { LogSource } from './openLog.ts'

export interface ProjectionThreadStart {
  readonly folder: string
  /** Of the log that this process has open. */
  readonly log: LogSource
  /** Of the read models. */
  readonly documents: DocumentSource
  /** This instance, also when its thread has been started again. */
  readonly owner: string
  /** Whether the projections may run here; otherwise they are watched. */
  readonly mayRun: boolean
}

const clocked = {
  nowMs: Date.now,
  newId: () => uuidV7({ nowMs: Date.now }, { bytes: randomBytes }),
}

if (parentPort) {
  giveWay()
  const line: Line<FromProjections, ToProjections> = parentPort
  const start = workerData as ProjectionThreadStart
  const stores = await documentStores(start.documents)
  serveProjections(line, serving(start, stores, await readerOf(start)))
}

/** How this thread opens a reader of the log. */
async function readerOf({ folder, log }: ProjectionThreadStart): Promise<() => EventReader> {
  if (log.kind === 'embedded') {
    return () => openEmbeddedEventReader({ folder, headBuffer: log.headBuffer })
  }
  const { joinEventStoreDb } = await import('../../stores/eventstoredb/openEventStoreDb.ts')
  return () => joinEventStoreDb({ url: log.url })
}

function serving(
  { owner, mayRun }: ProjectionThreadStart,
  stores: DocumentStores,
  openReader: () => EventReader,
): Serving {
  const closers: (() => Promise<void>)[] = []
  return {
    open: (told) => {
      const onRebuild = (message: string): void => told.onAlarm({ kind: 'rebuilt', message })
      const readStore = stores.forWriting({ onRebuild })
      closers.push(readStore.close)
      const eventStore = openReader()
      closers.push(eventStore.close)
      return shareProjections({
        ...told,
        owner,
        mayRun,
        eventStore,
        readStore,
        projections: readModels,
        decode,
        onOtherLog: 'rebuild',
        ...clocked,
      })
    },
    close: async () => {
      for (const close of closers.splice(0)) await close()
      parentPort?.close()
    },
  }
}
