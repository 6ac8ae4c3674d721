/**
 * The thread of the read models: folds them, or watches who does, answers the questions that look at much, and moves the write-ahead log of
 * the log into its file. No append waits for it.
 */

import { randomBytes } from 'node:crypto'
import { getPriority, setPriority } from 'node:os'
import { uuidV7 } from '../domain/uuid.ts'
import { decode } from '../events/catalogue.ts'
import { readModels } from '../projections/readModels.ts'
import type { Holding } from '../projections/running/projectionLease.ts'
import type { Alarm, ProjectionState, Projections } from '../projections/running/projections.ts'
import { shareProjections } from '../projections/running/shareProjections.ts'
import { type Asked, answerOf, type QuestionName } from '../queries/heavyQuestions.ts'
import { inTurns } from '../queries/reading/inTurns.ts'
import { findDamage } from '../stores/embedded/inspectStores.ts'
import { type EventReader, openEmbeddedEventReader } from '../stores/embedded/logReader.ts'
import { openWalMover, type WalMover } from '../stores/embedded/logWriter.ts'
import { serveThread } from '../stores/embedded/threads.ts'
import type { ReadStore } from '../stores/readStore.ts'
import type { LogSource } from './openLogAndKeys.ts'
import { type DocumentSource, documentStores } from './openReadModels.ts'

interface ReadModelsStart {
  readonly folder: string
  /** Of the log that this process has open. */
  readonly log: LogSource
  /** Of the read models. */
  readonly documents: DocumentSource
  /** This instance. */
  readonly owner: string
  /** Whether the projections may run here; otherwise they are watched. */
  readonly mayRun: boolean
}

export type ToldOfReadModels =
  | { readonly kind: 'progress'; readonly states: readonly ProjectionState[] }
  | { readonly kind: 'holding'; readonly holding: Holding }
  | { readonly kind: 'alarm'; readonly alarm: Alarm }

interface Question {
  readonly name: QuestionName
  readonly asked: Asked<QuestionName>
}

/** What is open, to be closed the last first. */
const closers: (() => Promise<void> | void)[] = []
let projections: Projections | undefined
let documents: ReadStore | undefined
let mover: WalMover | undefined

const calls = {
  open: async (start: ReadModelsStart): Promise<void> => {
    const { forWriting, forReading } = await documentStores(start.documents)
    const openReader = await readerOf(start)
    const onAlarm = (alarm: Alarm): void => tell({ kind: 'alarm', alarm })
    const readStore = forWriting({ onRebuild: (message) => onAlarm({ kind: 'rebuilt', message }) })
    closers.push(readStore.close)
    const eventStore = openReader()
    closers.push(eventStore.close)
    projections = shareProjections({
      ...{ owner: start.owner, mayRun: start.mayRun, eventStore, readStore, decode, onAlarm },
      projections: readModels,
      onOtherLog: 'rebuild',
      onProgress: (states) => tell({ kind: 'progress', states }),
      onHolding: (holding) => tell({ kind: 'holding', holding }),
      nowMs: Date.now,
      newId: () => uuidV7({ nowMs: Date.now }, { bytes: randomBytes }),
    })
    closers.push(projections.close)
    documents = forReading()
    closers.push(documents.close)
  },
  hurry: (): void => projections?.hurry(),
  retryParked: (projection: string) => opened(projections).retryParked(projection),
  answer: ({ name, asked }: Question, signal: AbortSignal) => {
    const read = inTurns(opened(documents), () => signal.aborted)
    return answerOf({ documents: read, projections: opened(projections) }, name, asked)
  },
  /** What is wrong with the file, if anything is. */
  findDamage,
  /** Why the disk has failed, if it has. */
  moveWal: (log: string): string | undefined => {
    if (!mover) {
      mover = openWalMover(log)
      closers.push(mover.close)
    }
    return mover.move()
  },
}

export type ReadModelsCalls = typeof calls

giveWay()
const tell = serveThread<ToldOfReadModels>(calls, async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** How this thread opens a reader of the log. */
async function readerOf({ folder, log }: ReadModelsStart): Promise<() => EventReader> {
  if (log.kind === 'embedded') {
    return () => openEmbeddedEventReader({ folder, headBuffer: log.headBuffer })
  }
  const { joinEventStoreDb } = await import('../stores/eventstoredb/openEventStoreDb.ts')
  return () => joinEventStoreDb({ url: log.url })
}

/**
 * Has this thread give way to those that requests wait for: about a third of the time that a thread without these steps has. Only Linux has
 * priorities of threads; elsewhere nothing is changed.
 */
function giveWay(): void {
  const [steps, lowest] = [5, 19]
  if (process.platform === 'linux') setPriority(Math.min(getPriority() + steps, lowest))
}

function opened<Store>(store: Store | undefined): Store {
  if (store === undefined) throw new Error('the read models are not open')
  return store
}
