/** Starts and serves the read-models thread: projections, heavy queries, replays, file checks. */

import type { Config } from '../config.ts'
import { openScheduler } from '../domain/load/scheduler.ts'
import { uuidV7 } from '../domain/uuid.ts'
import { decode } from '../events/catalogue.ts'
import { isVigilEvent } from '../events/recording/event.ts'
import type { Logger } from '../log.ts'
import { allProjections } from '../projections/allProjections.ts'
import type { RunnerPace } from '../projections/running/commitBatch.ts'
import {
  type Alarm,
  initialStates,
  type LeaseStatus,
  otherOwnerStatus,
  type ProjectionState,
  type Projections,
  type SharedProjections,
} from '../projections/running/projectionState.ts'
import { runAlone, shareProjections } from '../projections/running/shareProjections.ts'
import { trackProgress } from '../projections/running/trackProgress.ts'
import { openSliceScanner, type ScanSliceRequest } from '../queries/analysis/scan/scanSlice.ts'
import { openSliceReplayer } from '../queries/audit/replays/replaySlice.ts'
import { type HeavyQueryRunner, runHeavyQuery } from '../queries/heavyQueries.ts'
import type { ReplaySliceRequest } from '../state/audit/replayStreamType.ts'
import { openRecordedPlanCache } from '../state/evaluation/flowPlanCache.ts'
import { dataFolderAt } from '../stores/embedded/dataFolder.ts'
import { openKeyReader } from '../stores/embedded/embeddedKeyStore.ts'
import { openEmbeddedReadStore } from '../stores/embedded/embeddedReadStore.ts'
import { findDamage } from '../stores/embedded/inspectStores.ts'
import { type EventReader, openEmbeddedEventReader } from '../stores/embedded/logReader.ts'
import { openWalCheckpointer, type WalCheckpointer } from '../stores/embedded/logWriter.ts'
import type { ReadStoreFileOptions } from '../stores/embedded/readStoreFile.ts'
import {
  type CallableThread,
  type GetSignal,
  runInline,
  startThread,
} from '../stores/embedded/threadCalls.ts'
import type { ReadStore, SharedReadStore } from '../stores/readStore.ts'
import type { Dependencies } from './serviceContext.ts'

/** Where log and read models are: plain data, which any thread of this process can open. */
interface StoreLocations extends Partial<Pick<Config, 'eventStoreUrl' | 'mongoDbUrl'>> {
  /** The absolute path of the data folder. */
  readonly folder: string
  /** `headBuffer` of the log when the folder keeps it. */
  readonly headBuffer?: SharedArrayBuffer | undefined
  /** 32 bytes, which open the sealing keys; nothing is replayed unless given. */
  readonly masterKey?: Uint8Array
}

async function openReader({
  folder,
  headBuffer = new SharedArrayBuffer(8),
  eventStoreUrl: url,
}: StoreLocations): Promise<EventReader> {
  if (url === undefined) return openEmbeddedEventReader({ folder, headBuffer })
  // loaded only here, as below: whoever keeps everything in the folder needs nothing of it
  const { joinEventStoreDb } = await import('../stores/eventstoredb/openEventStoreDb.ts')
  return joinEventStoreDb({ url, isOwn: isVigilEvent })
}

/** For those who project, or for reading unless `writing` is given: once somebody has opened them for writing. */
export async function openReadStore(
  { folder, mongoDbUrl: url }: StoreLocations,
  writing?: Pick<ReadStoreFileOptions, 'onRebuild' | 'nowMs'>,
): Promise<ReadStore | SharedReadStore> {
  if (url === undefined) {
    return openEmbeddedReadStore({ folder, ...(writing ?? { readOnly: true }) })
  }
  const { connectMongoDb } = await import('../stores/mongodb/mongoConnection.ts')
  const { openMongoReadStore } = await import('../stores/mongodb/mongoReadStore.ts')
  const onRebuild = writing?.onRebuild
  return openMongoReadStore({ connection: connectMongoDb({ url }), onRebuild })
}

/** Reads the keys as they are: what was destroyed opens nothing from then on. */
async function openKeyReaderAt({ folder, mongoDbUrl: url, masterKey }: StoreLocations) {
  if (!masterKey) throw new Error('the keys cannot be read')
  if (url === undefined) return openKeyReader(dataFolderAt(folder).keys, masterKey)
  const { connectMongoDb } = await import('../stores/mongodb/mongoConnection.ts')
  const { mongoKeyReader } = await import('../stores/mongodb/mongoKeyStore.ts')
  const connection = connectMongoDb({ url })
  return { ...mongoKeyReader(connection, masterKey), close: connection.close }
}

/** The thread of the read models, which does nothing until it is asked to open them. */
export interface ReadModelsThread extends CallableThread<ReadModelsCalls> {
  /** As they are there; at rest until they are open. Closing them ends the thread. */
  readonly projections: SharedProjections
  readonly heavyQueryRunner: HeavyQueryRunner
}

interface ReadModelsStart {
  readonly onAlarm: (alarm: Alarm) => void
  readonly onLeaseStatus?: (leaseStatus: LeaseStatus) => void
  /** Told why, should the thread end by itself. */
  readonly onDied?: (why: string) => void
  /** Given to run it in the caller's thread, for tests. */
  readonly inline?: ThreadSources
}

export function startReadModels({
  onAlarm,
  onLeaseStatus,
  onDied,
  inline,
}: ReadModelsStart): ReadModelsThread {
  let leaseStatus = otherOwnerStatus
  const onTold = (notice: ReadModelsNotice): void => {
    if (notice.kind === 'progress') progress.update(notice.states)
    else if (notice.kind === 'alarm') onAlarm(notice.alarm)
    else {
      leaseStatus = notice.leaseStatus
      onLeaseStatus?.(leaseStatus)
    }
  }
  const ends = { beside: import.meta.url, module: 'readModelsThread', onDied, onTold }
  const thread = inline
    ? runInline<ReadModelsCalls, ReadModelsNotice>(
        // a rest would save nothing where nothing runs beside
        (notify) => serveReadModels(notify, { ...inline, pace: { delayMs: 0 } }),
        onTold,
      )
    : startThread<ReadModelsCalls, ReadModelsNotice>(ends)
  const { call } = thread
  // a caller that waits in vain is answered by the clock
  const shortenDelay = (): void => void call('shortenDelay', undefined).catch(() => undefined)
  const progress = trackProgress(initialStates(allProjections), shortenDelay)
  const close = () => thread.close().then(progress.close)
  return {
    call,
    close,
    projections: {
      ...progress,
      shortenDelay,
      close,
      leaseStatus: () => leaseStatus,
      retryParked: (projection) => call('retryParked', projection),
    },
    heavyQueryRunner: {
      // the thread answers by the same table of questions
      run: (name, asked, signal) => call('answer', { name, asked }, signal),
    },
  }
}

/** Logs for the operator which instance runs the projections, and their faults, one entry for each change. */
export function openProjectionLogger(
  logger: Pick<Logger, 'info' | 'error'>,
): Required<Pick<ReadModelsStart, 'onAlarm' | 'onLeaseStatus'>> {
  let last: LeaseStatus = otherOwnerStatus
  return {
    onAlarm: ({ kind, projection, message }) => logger.error({ kind, projection }, message),
    onLeaseStatus: (now) => {
      const before = last
      last = now
      if (now.isOwner) logger.info({ fence: now.fence }, 'This instance runs the projections.')
      else if (before.isOwner) logger.info('This instance does not run the projections any more.')
      else if (!now.isRunning) logger.error(notRun)
      else if (!before.isRunning) logger.info('Another instance runs the projections again.')
    },
  }
}

const notRun =
  'No instance runs the projections: what is read is as old as when the last one stopped. Start one with VIGIL_ROLE=projector or all.'

type ReadModelsNotice =
  | { readonly kind: 'progress'; readonly states: readonly ProjectionState[] }
  | { readonly kind: 'leaseStatus'; readonly leaseStatus: LeaseStatus }
  | { readonly kind: 'alarm'; readonly alarm: Alarm }

interface ThreadSources extends Pick<Dependencies, 'clock' | 'random'> {
  readonly pace?: Partial<RunnerPace>
}

type Closer = () => Promise<void> | void

export type NotifyReadModels = (notice: ReadModelsNotice) => void

/** What the thread of the read models does; `notify` is called with what it finds by itself. */
export function serveReadModels(
  notify: NotifyReadModels,
  { clock, random, pace = {} }: ThreadSources,
) {
  /** What is open, to be closed the last first. */
  const closers: Closer[] = []
  let readers: Readers | undefined
  let records: ReturnType<typeof openRecords> | undefined
  let checkpointer: WalCheckpointer | undefined
  const keep = <Kept extends { readonly close: Closer }>(kept: Kept): Kept => {
    closers.push(kept.close)
    return kept
  }
  const openedRecords = () => (records ??= openRecords(opened(readers), closers))
  const newId = () => uuidV7(clock, random)
  const calls = {
    /** Answers when they can be read, projected here or watched. Rejects with an `Error` that names a bad file. */
    open: async ({ mayRun, ...at }: StoreLocations & { readonly mayRun: boolean }) => {
      const onAlarm = (alarm: Alarm): void => notify({ kind: 'alarm', alarm })
      const onRebuild = (message: string): void => onAlarm({ kind: 'rebuilt', message })
      const readStore = keep(await openReadStore(at, { onRebuild, nowMs: clock.nowMs }))
      const eventStore = keep(await openReader(at))
      const how = {
        owner: newId(),
        mayRun,
        eventStore,
        decode,
        onAlarm,
        newId,
        pace,
        nowMs: clock.nowMs,
        projections: allProjections,
        onOtherLog: 'rebuild' as const,
        onProgress: (states: readonly ProjectionState[]) => notify({ kind: 'progress', states }),
        onLeaseStatus: (leaseStatus: LeaseStatus) => notify({ kind: 'leaseStatus', leaseStatus }),
      }
      const isShared = 'leases' in readStore
      const projections = keep(
        isShared ? shareProjections({ ...how, readStore }) : runAlone({ ...how, readStore }),
      )
      const documents = keep(await openReadStore(at))
      readers = { at, documents, projections, events: eventStore }
    },
    shortenDelay: (): void => readers?.projections.shortenDelay(),
    retryParked: (projection: string) => opened(readers).projections.retryParked(projection),
    answer: (query: Parameters<typeof runHeavyQuery>[1], getSignal: GetSignal) =>
      runHeavyQuery(opened(readers), query, getSignal()),
    replay: async (asked: ReplaySliceRequest, getSignal: GetSignal) => {
      const signal = getSignal()
      return (await openedRecords()).replay(asked, signal)
    },
    scan: async (asked: ScanSliceRequest, getSignal: GetSignal) => {
      const signal = getSignal()
      return (await openedRecords()).scan(asked, signal)
    },
    /** What is wrong with the file, if anything is. */
    findDamage: (file: string) => findDamage(file),
    /** Why the disk has failed, if it has. */
    checkpointWal: (log: string): string | undefined => {
      checkpointer ??= keep(openWalCheckpointer(log))
      return checkpointer.checkpoint()
    },
  }
  return { calls, close: () => closeAll(closers) }
}

/** The last opened first. */
async function closeAll(closers: Closer[]): Promise<void> {
  for (const one of closers.splice(0).reverse()) await one()
}

type ReadModelsCalls = ReturnType<typeof serveReadModels>['calls']

interface Readers {
  readonly at: StoreLocations
  readonly documents: ReadStore
  readonly projections: Projections
  readonly events: EventReader
}

function opened(readers: Readers | undefined): Readers {
  if (!readers) throw new Error('the read models are not open')
  return readers
}

/** What reads recorded evaluations, with the keys that open them. */
async function openRecords({ at, ...readers }: Readers, closers: Closer[]) {
  const { keys, close } = await openKeyReaderAt(at)
  closers.push(close)
  const scheduler = openScheduler()
  const compiledPlans = openRecordedPlanCache({ scheduler })
  const sources = { ...readers, keys, scheduler, compiledPlans }
  return { replay: openSliceReplayer(sources), scan: openSliceScanner(sources) }
}
