/** Opens the read models: the thread of the projections, the read store, the heavy queries. */

import type { ReplaySliceAsked } from '../commands/audit/replays.ts'
import type { Chance, Clock } from '../domain/clock.ts'
import { Failure } from '../domain/failure.ts'
import { uuidV7 } from '../domain/uuid.ts'
import { decode } from '../events/catalogue.ts'
import type { Logger } from '../log.ts'
import { readModels } from '../projections/readModels.ts'
import { statesAtRest } from '../projections/running/instances/states.ts'
import type {
  Alarm,
  ProjectionState,
  Projections,
  SharedProjections,
} from '../projections/running/projections.ts'
import { type Holding, notHeld } from '../projections/running/sharing/projectionLease.ts'
import { sharedProgress } from '../projections/running/sharing/sharedProgress.ts'
import { shareProjections } from '../projections/running/sharing/shareProjections.ts'
import { openReplaySlices, type ReplaySlice } from '../queries/audit/replays/replaySlice.ts'
import {
  type Answered,
  type Answering,
  type Asked,
  answerOf,
  type QuestionName,
} from '../queries/heavyQuestions.ts'
import { interleave } from '../queries/reading/interleave.ts'
import { dataFolder } from '../stores/embedded/dataFolder.ts'
import { findDamage } from '../stores/embedded/inspectStores.ts'
import { openKeyReader } from '../stores/embedded/keyStore.ts'
import { type EventReader, openEmbeddedEventReader } from '../stores/embedded/logReader.ts'
import { openWalMover, type WalMover } from '../stores/embedded/logWriter.ts'
import { openEmbeddedReadStore } from '../stores/embedded/readStore.ts'
import { startThread, type Thread, threadHere } from '../stores/embedded/threads.ts'
import type { OpenedMongo } from '../stores/mongodb/openMongo.ts'
import type { ReadStore } from '../stores/readStore.ts'
import { type Damage, openDamage } from './damage.ts'
import type { LogSource, OpenedLog } from './openLogAndKeys.ts'
import type { StoreOptions } from './openService.ts'

interface ReadModelsOver {
  /** The absolute path of the data folder. */
  readonly folder: string
  readonly log: OpenedLog
  /** 32 bytes, which open the sealing keys. */
  readonly masterKey: Uint8Array
  /** Undefined when the folder keeps them. */
  readonly mongo: OpenedMongo | undefined
  readonly thread: ReadModelsThread
  /** Takes what is to be closed, the last first. */
  readonly onOpened: (close: () => Promise<void>) => void
}

export interface OpenedReadModels {
  readonly projections: SharedProjections
  readonly documents: ReadStore
  readonly answering: Answering
  readonly replaySlice: ReplaySlice
}

/** Rejects with an `Error` that names the file when it cannot be used. */
export async function openReadModels(
  options: StoreOptions,
  { folder, log, masterKey, mongo, thread, onOpened }: ReadModelsOver,
): Promise<OpenedReadModels> {
  const { role, clock, chance, logger, metrics } = options
  const source: DocumentSource = mongo
    ? { kind: 'mongoDb', url: mongo.url }
    : { kind: 'embedded', folder, session: log.session }
  const over = { folder, log, masterKey, documents: source, clock, chance, ...(role && { role }) }
  const projections = await openInThread(thread, over)
  onOpened(projections.close)
  const damage = openDamage('documents', { logger, metrics })
  const documents = notingReads((await documentStores(source)).forReading(), damage)
  onOpened(documents.close)
  const { answer } = thread.answering
  const answering: Answering = { answer: (...asked) => damage.noting(() => answer(...asked))() }
  const replaySlice: ReplaySlice = (asked, signal) => thread.ask('replay', asked, signal)
  return { projections, documents, answering, replaySlice }
}

function notingReads(documents: ReadStore, { noting, isFound }: Damage): ReadStore {
  return {
    ...documents,
    get: noting(documents.get),
    find: noting(documents.find),
    load: noting(documents.load),
    checkpoints: noting(async () => {
      // a page that was damaged once is, whatever others can still be read
      if (isFound()) throw new Failure('unavailable', 'The read store is damaged.')
      return documents.checkpoints()
    }),
  }
}

export interface ReadModelsTold {
  readonly onAlarm: (alarm: Alarm) => void
  readonly onHolding?: (holding: Holding) => void
}

/** The thread of the read models, which does nothing until it is told what to open. */
export interface ReadModelsThread extends Pick<Thread<ReadModelsCalls>, 'ask' | 'close'> {
  /** As they are there; at rest until they are open. Closing them ends the thread. */
  readonly projections: SharedProjections
  readonly answering: Answering
}

interface ReadModelsStart extends ReadModelsTold {
  /** Told why, should the thread end by itself. */
  readonly onDied?: (why: string) => void
  /** Given to do it in the caller's thread, for tests. */
  readonly here?: Pick<Means, 'clock' | 'chance'>
}

/** Starts the thread. */
export function startReadModels({
  onAlarm,
  onHolding,
  onDied = () => undefined,
  here,
}: ReadModelsStart): ReadModelsThread {
  let holding = notHeld
  const onTold = (told: ToldOfReadModels): void => {
    if (told.kind === 'progress') board.update(told.states)
    else if (told.kind === 'alarm') onAlarm(told.alarm)
    else {
      holding = told.holding
      onHolding?.(holding)
    }
  }
  const { ask, close } = here
    ? threadHere<ReadModelsCalls, ToldOfReadModels>(
        (tell) => serveReadModels(tell, { ...here, nowMsOfStore: here.clock.nowMs }),
        onTold,
      )
    : startThread<ReadModelsCalls, ToldOfReadModels>({
        ...{ beside: import.meta.url, module: 'readModelsThread', onDied, onTold },
      })
  const hurry = (): void => {
    // whoever waits in vain is answered by the clock
    ask('hurry', undefined).catch(() => undefined)
  }
  const board = sharedProgress(statesAtRest(readModels), hurry)
  const projections: SharedProjections = {
    ...board,
    hurry,
    holding: () => holding,
    retryParked: (projection) => ask('retryParked', projection),
    close: async () => {
      await close()
      board.close()
    },
  }
  return {
    ask,
    close: projections.close,
    projections,
    answering: {
      // the thread answers by the same table of questions
      answer: (name, asked, signal) =>
        ask('answer', { name, asked }, signal) as Promise<Answered<typeof name>>,
    },
  }
}

interface ProjectionsOver
  extends Pick<StoreOptions, 'clock' | 'chance' | 'role'>,
    Pick<ReadModelsOver, 'folder' | 'masterKey'> {
  readonly log: Pick<OpenedLog, 'source'>
  readonly documents: DocumentSource
}

/**
 * Resolves when the read models can be opened for reading; they may still be catching up, here or in another instance. Rejects with an
 * `Error` that names the file when they cannot be used. Closing finishes the batch in hand; it must come before the event store is closed.
 */
export async function openInThread(
  { ask, projections }: ReadModelsThread,
  { folder, log, masterKey, documents, role, clock, chance }: ProjectionsOver,
): Promise<SharedProjections> {
  const mayRun = role !== 'api'
  const owner = uuidV7(clock, chance)
  await ask('open', { folder, log: log.source, masterKey, documents, owner, mayRun })
  return projections
}

/** Logs for the operator which instance runs the projections, and their faults, one entry for each change. */
export function tellProjections(logger: Pick<Logger, 'info' | 'error'>): Required<ReadModelsTold> {
  let last: Holding = notHeld
  return {
    onAlarm: ({ kind, projection, message }) => logger.error({ kind, projection }, message),
    onHolding: (now) => {
      const before = last
      last = now
      if (now.held) logger.info({ fence: now.fence }, 'This instance runs the projections.')
      else if (before.held) logger.info('This instance does not run the projections any more.')
      else if (!now.heard) logger.error(notRun)
      else if (!before.heard) logger.info('Another instance runs the projections again.')
    },
  }
}

const notRun =
  'No instance runs the projections: what is read is as old as when the last one stopped. Start one with VIGIL_ROLE=projector or all.'

/** What is opened. */
interface ReadModelsOpened {
  readonly folder: string
  /** Of the log that this process has open. */
  readonly log: LogSource
  /** Of the read models. */
  readonly documents: DocumentSource
  readonly masterKey: Uint8Array
  /** This instance. */
  readonly owner: string
  /** Whether the projections may run here; otherwise they are watched. */
  readonly mayRun: boolean
}

type ToldOfReadModels =
  | { readonly kind: 'progress'; readonly states: readonly ProjectionState[] }
  | { readonly kind: 'holding'; readonly holding: Holding }
  | { readonly kind: 'alarm'; readonly alarm: Alarm }

interface Question {
  readonly name: QuestionName
  readonly asked: Asked<QuestionName>
}

interface Means {
  readonly clock: Clock
  readonly chance: Chance
  /** Takes the place of the clock of the store, by which leases end. */
  readonly nowMsOfStore?: () => number
}

export type TellOfReadModels = (told: ToldOfReadModels) => void

/** What the thread of the read models does; `tell` is told what it finds by itself. */
export function serveReadModels(tell: TellOfReadModels, { clock, chance, nowMsOfStore }: Means) {
  /** What is open, to be closed the last first. */
  const closers: (() => Promise<void> | void)[] = []
  let projections: Projections | undefined
  let documents: ReadStore | undefined
  let openReplay: (() => Promise<ReplaySlice>) | undefined
  let replay: Promise<ReplaySlice> | undefined
  let mover: WalMover | undefined
  const calls = {
    open: async (start: ReadModelsOpened): Promise<void> => {
      const { forWriting, forReading } = await documentStores(start.documents)
      const openReader = await readerOf(start)
      const onAlarm = (alarm: Alarm): void => tell({ kind: 'alarm', alarm })
      const readStore = forWriting({
        ...(nowMsOfStore && { nowMs: nowMsOfStore }),
        onRebuild: (message) => onAlarm({ kind: 'rebuilt', message }),
      })
      closers.push(readStore.close)
      const eventStore = openReader()
      closers.push(eventStore.close)
      projections = shareProjections({
        ...{ owner: start.owner, mayRun: start.mayRun, eventStore, readStore, decode, onAlarm },
        projections: readModels,
        onOtherLog: 'rebuild',
        onProgress: (states) => tell({ kind: 'progress', states }),
        onHolding: (holding) => tell({ kind: 'holding', holding }),
        nowMs: clock.nowMs,
        newId: () => uuidV7(clock, chance),
      })
      closers.push(projections.close)
      documents = forReading()
      closers.push(documents.close)
      const readers = { documents, projections, events: eventStore }
      openReplay = async () => {
        const { keys, close } = await keyReaderOf(start)
        closers.push(async () => close())
        return openReplaySlices({ ...readers, keys })
      }
    },
    hurry: (): void => projections?.hurry(),
    retryParked: (projection: string) => opened(projections).retryParked(projection),
    answer: ({ name, asked }: Question, signal: AbortSignal) => {
      const read = interleave(opened(documents), () => signal.aborted)
      return answerOf({ documents: read, projections: opened(projections) }, name, asked)
    },
    replay: async (asked: ReplaySliceAsked, signal: AbortSignal) => {
      replay ??= opened(openReplay)()
      return (await replay)(asked, signal)
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
  const close = async (): Promise<void> => {
    for (const one of closers.splice(0).reverse()) await one()
  }
  return { calls, close }
}

type ReadModelsCalls = ReturnType<typeof serveReadModels>['calls']

/** How the thread opens a reader of the log. */
async function readerOf({ folder, log }: ReadModelsOpened): Promise<() => EventReader> {
  if (log.kind === 'embedded') {
    return () => openEmbeddedEventReader({ folder, headBuffer: log.headBuffer })
  }
  const { joinEventStoreDb } = await import('../stores/eventstoredb/openEventStoreDb.ts')
  return () => joinEventStoreDb({ url: log.url })
}

/** Reads the keys as they are: what was destroyed opens nothing from then on. */
async function keyReaderOf({ folder, documents, masterKey }: ReadModelsOpened) {
  if (documents.kind === 'embedded') return openKeyReader(dataFolder(folder).keys, masterKey)
  const { connectMongoDb } = await import('../stores/mongodb/mongoConnection.ts')
  const { mongoKeyReader } = await import('../stores/mongodb/keys/mongoKeyStore.ts')
  const { database, close } = connectMongoDb(documents)
  return { ...mongoKeyReader(database, masterKey), close }
}

function opened<Store>(store: Store | undefined): Store {
  if (store === undefined) throw new Error('the read models are not open')
  return store
}

export type DocumentSource =
  | {
      readonly kind: 'embedded'
      readonly folder: string
      /** See `ViewsOptions`. */
      readonly session: string
    }
  | { readonly kind: 'mongoDb'; readonly url: string }

interface WritingOptions {
  /** Told with a sentence when the read models are thrown away and built again. */
  readonly onRebuild: (message: string) => void
  /** Takes the place of the clock of the store. */
  readonly nowMs?: () => number
}

interface DocumentStores {
  /** For the threads that project, or would if they had the lease. */
  readonly forWriting: (options: WritingOptions) => ReadStore
  /** Once somebody has opened them for writing. */
  readonly forReading: () => ReadStore
}

/** Loads what the source needs; the stores open at once then, and throw an `Error` that names a file that they cannot use. */
export async function documentStores(source: DocumentSource): Promise<DocumentStores> {
  if (source.kind === 'embedded') {
    const { folder, session } = source
    return {
      forWriting: (options) => openEmbeddedReadStore({ folder, session, ...options }),
      forReading: () => openEmbeddedReadStore({ folder, readOnly: true }),
    }
  }
  // loaded only here: whoever keeps everything in the folder needs nothing of it
  const { connectMongoDb } = await import('../stores/mongodb/mongoConnection.ts')
  const { openMongoReadStore } = await import('../stores/mongodb/mongoReadStore.ts')
  const open = (options: Pick<WritingOptions, 'nowMs'>) =>
    openMongoReadStore({ connection: connectMongoDb(source), ...options })
  return {
    forWriting: ({ nowMs }) => open(nowMs ? { nowMs } : {}),
    forReading: () => open({}),
  }
}
