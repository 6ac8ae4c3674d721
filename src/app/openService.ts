/** Opens the service: the stores and their checks, the read models, the context. */

import { openBackground } from '../commands/handling/background.ts'
import { installManagedSet } from '../commands/rulebook/managed/installManagedSet.ts'
import type { Config } from '../config.ts'
import { type EventMetadata, logEpoch } from '../events/recording/event.ts'
import { managedStream } from '../events/rulebook/rulebook.ts'
import type { Logger } from '../log.ts'
import type { DamagedStore } from '../metrics/meters.ts'
import type { Metrics } from '../metrics/openMetrics.ts'
import type { SliceScanner } from '../queries/analysis/scan/scanSlice.ts'
import type { SliceReplayer } from '../queries/audit/replays/replaySlice.ts'
import { checkReadiness } from '../queries/operations/readiness.ts'
import { openSnapshots } from '../state/folding/snapshots.ts'
import { explainStartError } from '../stores/embedded/databaseErrors.ts'
import {
  dataFolderAt,
  findReadableByOthers,
  markMovedToServers,
  openDataFolder,
  rejectLocalStores,
  rejectMovedFolder,
} from '../stores/embedded/dataFolder.ts'
import { runWriterInline, startWriterThread } from '../stores/embedded/writerThread.ts'
import type { EventStore, RecordedEvent } from '../stores/eventStore.ts'
import { openMongo } from '../stores/mongodb/openMongo.ts'
import { openSnapshotFiles } from '../stores/snapshotFiles.ts'
import { reportDamage, startFileChecks } from './detectDamage.ts'
import { followStreams, listStreamCaches } from './followCachedStreams.ts'
import { startHourlyJobs } from './hourlyJobs.ts'
import { loadSecrets, openLog, openSealingKeys } from './openLogAndKeys.ts'
import {
  buildService,
  type Dependencies,
  openServiceContext,
  type ServiceContext,
  type SessionsOptions,
} from './serviceContext.ts'
import { openProjectionLogger, openReadStore, startReadModels } from './startReadModels.ts'

/** Only tests name one server without the other. */
export interface StoreOptions
  extends Pick<Dependencies, 'clock' | 'random'>,
    Pick<Config, 'dataFolder' | 'masterKey' | 'operatorToken'>,
    Partial<Pick<Config, 'eventStoreUrl' | 'mongoDbUrl' | 'role' | 'dispatchLifetimeMs'>> {
  /** Sealing keys held ready, see `KeyPoolOptions`; only tests choose another number. */
  readonly keyPoolSize?: number
  readonly logger: Logger
  readonly metrics: Metrics
  /** Whether log, keys and projections run in threads of their own (the default) or in the caller's. */
  readonly thread?: 'own' | 'caller'
  /** Aborted to have the opening give up at its next step. */
  readonly stopping?: AbortSignal
  /** Shows a new operator token before it counts: killed in between, the next start makes another one. */
  readonly showOperatorToken?: (token: string) => Promise<void>
  /** Called once it is logged that such a thread has ended by itself: nothing works, and the process is to end. */
  readonly onThreadDied?: () => void
}

export type ServiceOptions = StoreOptions & Omit<SessionsOptions, 'logger'>

/**
 * Opens everything, making what is missing; `folder` is the absolute path of the data folder, `isNew` tells that nobody
 * had used the log yet, and `isBegun` that an earlier start has begun the demo account. Rejects with an `Error` that
 * says what to do when the folder is in use, a file of it is damaged, a server cannot be used in time, or what they
 * keep is of another log or another master key; with the reason of `stopping` when that is aborted.
 */
export async function openService(options: ServiceOptions) {
  const closers: Close[] = []
  try {
    return await openAll(options, closers)
  } catch (error) {
    // what goes wrong in closing only follows from it
    await closeAll(closers).catch(() => undefined)
    throw explainStartError(error)
  }
}

type Close = () => Promise<void>

async function openAll(options: ServiceOptions, closers: Close[]) {
  const { eventStoreUrl, mongoDbUrl, role, logger, metrics, stopping } = options
  stopping?.throwIfAborted()
  // 1. The folder, the servers, the threads.
  const folder = openFolder(options)
  const onWait = (waiting: object) => logger.warn(waiting, 'Waiting for MongoDB.')
  const mongo = mongoDbUrl === undefined ? undefined : await openMongo(mongoDbUrl, onWait)
  if (mongo) closers.push(mongo.close)
  const threads = startThreads(options)
  closers.push(threads.writer.close, threads.readModels.close)

  // 2. The log, which keeps other processes out of the folder before anything is written, and the keys.
  const log = await openLog(options, threads, mongo)
  closers.push(log.close)
  const damagedFiles = new Set<DamagedStore>()
  const first = await log.readAll({ after: 0, limit: ownEventsMax + 1 })
  refuseOtherEpoch(first[0])
  const { masterKey, operatorTokenHash } = await loadSecrets(options, log, mongo)
  const keyStorage = mongo ?? threads.writer
  const keyring = await openSealingKeys(options, { masterKey, keyStorage, closers, damagedFiles })
  if (isOnServers(options)) markMovedToServers(dataFolderAt(folder))

  stopping?.throwIfAborted()

  // 3. The read models; they may still be catching up, here or in another instance.
  const { readModels } = threads
  const locations = { folder, headBuffer: log.headBuffer, eventStoreUrl, mongoDbUrl }
  await readModels.call('open', { ...locations, masterKey, mayRun: role !== 'api' })
  closers.push(readModels.close)
  const read = await openReadStore(locations)
  closers.push(read.close)
  const readers = { ...read, ...readModels.heavyQueryRunner }
  const names = ['get', 'find', 'load', 'checkpoints', 'run'] as const
  const documents = reportDamage(readers, { of: 'documents', names, logger, metrics, damagedFiles })

  stopping?.throwIfAborted()

  // 4. The context, and what the service does by itself.
  const { projections } = readModels
  const replaySlice: SliceReplayer = (asked, signal) => readModels.call('replay', asked, signal)
  const scanSlice: SliceScanner = (asked, signal) => readModels.call('scan', asked, signal)
  const stores = { log, documents, projections, keyring, operatorTokenHash }
  const context = await openContext(
    options,
    { ...stores, heavyQueryRunner: documents, folder, replaySlice, scanSlice, damagedFiles },
    closers,
  )
  await installManagedSet(context)
  const work = startHourlyJobs(context)
  closers.push(async () => work.close())
  const { leaseStatus } = projections
  const state = async () => ({ ...(await checkReadiness(context)), leaseStatus: leaseStatus() })
  metrics.watch({ state, keysReady: keyring.keysReady })
  if (!isOnServers(options) && options.thread !== 'caller') {
    closers.push(startFileChecks(folder, { logger, damagedFiles }, readModels))
  }
  const service = buildService(context, () => closeAll(closers))
  return { service, folder, isNew: isUnused(first), isBegun: first.some(isOfDemo) }
}

type Opened = Omit<Dependencies, keyof ServiceOptions | 'events' | 'background' | 'snapshots'> & {
  /** The absolute path of the data folder. */
  readonly folder: string
  readonly log: EventStore
}

/** The context over what is open, and what keeps it as the log has it. */
async function openContext(
  options: ServiceOptions,
  { folder, log, ...opened }: Opened,
  closers: Close[],
): Promise<ServiceContext> {
  const { masterKey, operatorToken, eventStoreUrl, mongoDbUrl, ...harmless } = options
  const { logger, metrics } = options
  const background = openBackground((err) => logger.error({ err }, 'Background work failed.'))
  const closing = new AbortController()
  closers.push(background.settled, async () => closing.abort())
  const files = dataFolderAt(folder)
  const snapshots = openSnapshots({
    files: openSnapshotFiles(files.snapshots),
    log,
    onFault: (err) =>
      logger.error({ err }, 'A snapshot cannot be used; its stream is read from the beginning.'),
  })
  closers.push(snapshots.close)
  // one old event that cannot be read is no reason to take no others: only its readers are told
  const names = ['readStream', 'readNewEvents', 'readAll', 'readTail'] as const
  const file = eventStoreUrl === undefined ? files.log : undefined
  const events = reportDamage(log, { of: 'events', names, logger, metrics, file })
  const made = { events, background, snapshots, closing: closing.signal }
  const onRefused = metrics.requests.countRefusal
  const context = openServiceContext({ ...harmless, ...opened, ...made, onRefused })
  const { clock, followed } = context
  const onFault = (err: unknown): void =>
    logger.error(
      { err },
      'The configuration in the log cannot be followed; it is read at each use.',
    )
  const caches = listStreamCaches(context)
  const following = await followStreams({ events, caches, clock, followed, onFault })
  closers.push(following.close)
  return context
}

/** The threads beside the one that answers, or what does their work in it. */
export type Threads = ReturnType<typeof startThreads>

function startThreads(options: ServiceOptions) {
  const { thread = 'own', logger, onThreadDied } = options
  const projectionLogger = openProjectionLogger(logger)
  if (thread === 'caller') {
    return {
      writer: runWriterInline(options),
      readModels: startReadModels({ ...projectionLogger, inline: options }),
    }
  }
  const onDied = (reason: string): void => {
    logger.fatal({ reason }, 'A thread of Vigil has ended: the process ends.')
    onThreadDied?.()
  }
  // it writes the log and the keys
  const isNeeded = options.eventStoreUrl === undefined || options.mongoDbUrl === undefined
  return {
    writer: isNeeded ? startWriterThread(onDied) : runWriterInline(options),
    readModels: startReadModels({ ...projectionLogger, onDied }),
  }
}

const isOnServers = ({ eventStoreUrl, mongoDbUrl }: ServiceOptions): boolean =>
  eventStoreUrl !== undefined || mongoDbUrl !== undefined

/**
 * The absolute path of the folder, whose owner is told when others may read what is in it. Throws an `Error` that says
 * what to do when log or keys are somewhere else than the options say.
 */
function openFolder(options: ServiceOptions): string {
  const folder = openDataFolder(options.dataFolder)
  if (!isOnServers(options)) rejectMovedFolder(folder)
  if (options.eventStoreUrl !== undefined) rejectLocalStores(folder, ['log'])
  if (options.mongoDbUrl !== undefined) rejectLocalStores(folder, ['keys'])
  const paths = findReadableByOthers(folder)
  if (paths.length > 0) {
    options.logger.warn(
      { paths },
      'Others than the owner may read or write data of Vigil: chmod 700 the folder and 600 its files.',
    )
  }
  return folder.path
}

/** What starts write by themselves before anybody uses the service, at the most. */
const ownEventsMax = 500

/** The request of all that a start writes for the demo account; no caller's request has it. */
export const demoRequestId = '00000000-0000-4000-8000-000000000000'

/** Whether nobody has used the log yet: it holds at most what starts write by themselves, perhaps not all of it. */
function isUnused(first: readonly RecordedEvent[]): boolean {
  const isOfStart = (event: RecordedEvent): boolean =>
    event.stream === managedStream || isOfDemo(event)
  return first.length <= ownEventsMax && first.every(isOfStart)
}

function isOfDemo({ metadata }: RecordedEvent): boolean {
  return (JSON.parse(metadata) as Partial<EventMetadata>).request === demoRequestId
}

/** The last opened first, all of them; rejects with what went wrong first. */
async function closeAll(closers: Close[]): Promise<void> {
  const failures: unknown[] = []
  for (const close of closers.splice(0).reverse()) {
    await close().catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}

/** Throws an `Error` that says what to do; `first` is the first event of the log, if it has one. */
function refuseOtherEpoch(first: RecordedEvent | undefined): void {
  if (!first) return
  const metadata = JSON.parse(first.metadata) as Partial<EventMetadata>
  if (metadata.epoch === logEpoch) return
  throw new Error(
    'Cannot use the event log: it was made by a development version of Vigil. Start with an empty folder, and with an empty EventStoreDB and MongoDB where those are set.',
  )
}
