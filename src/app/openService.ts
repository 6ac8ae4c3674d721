/** Opens the service: the stores and their checks, the read models, the context. */

import { openSnapshots } from '../commands/handling/snapshots.ts'
import { installShippedSet } from '../commands/rulebook/managed/installManagedSet.ts'
import type { Chance, Clock } from '../domain/clock.ts'
import { Failure } from '../domain/failure.ts'
import type { Role } from '../domain/role.ts'
import { type EventMetadata, epoch } from '../events/recording/event.ts'
import { managedStream } from '../events/rulebook/rulebook.ts'
import type { Logger } from '../log.ts'
import type { DamagedStore } from '../metrics/damageMeter.ts'
import { type Metrics, openMetrics } from '../metrics/openMetrics.ts'
import { readinessOf } from '../queries/operations/readiness.ts'
import { startRefusal } from '../stores/embedded/databaseErrors.ts'
import {
  dataFolder,
  noteServers,
  openDataFolder,
  openToOthers,
  refuseOwnStores,
  refuseServers,
} from '../stores/embedded/dataFolder.ts'
import { type Owner, ownerHere, startOwner } from '../stores/embedded/owner.ts'
import type { EventStore, RecordedEvent } from '../stores/eventStore.ts'
import { type OpenedMongo, openMongo } from '../stores/mongodb/openMongo.ts'
import type { ReadStore } from '../stores/readStore.ts'
import { openSnapshotFiles } from '../stores/snapshotFiles.ts'
import { checkFiles, notingDamage } from './damage.ts'
import { cachedStreams, follow } from './follow.ts'
import { startHourlyWork } from './hourlyWork.ts'
import { openKeys, openLog, openSecrets } from './openLogAndKeys.ts'
import {
  openDocuments,
  type ReadModelsThread,
  type StorePlaces,
  startReadModels,
  tellProjections,
} from './openReadModels.ts'
import { type Service, serviceOf } from './service.ts'
import {
  type Dependencies,
  openBackground,
  openServiceContext,
  type ServiceContext,
  type SessionsOptions,
} from './serviceContext.ts'

export interface StoreOptions {
  readonly dataFolder: string
  /** The EventStoreDB that keeps the log; undefined when the folder does. Only tests name one server without the other. */
  readonly eventStoreUrl?: string | undefined
  /** The MongoDB that keeps read models and sealing keys; undefined when the folder does. */
  readonly mongoDbUrl?: string | undefined
  /** Sealing keys held ready, see `KeyPoolOptions`; only tests choose another number. */
  readonly keyPoolSize?: number
  /** 32 bytes; made and kept in the folder when undefined. */
  readonly masterKey: Uint8Array | undefined
  readonly operatorToken: string | undefined
  /** Everything unless given. */
  readonly role?: Role
  /** How long a dispatch counts, in milliseconds; a day unless given. */
  readonly dispatchLifetimeMs?: number | undefined
  readonly clock: Clock
  readonly chance: Chance
  readonly logger: Logger
  readonly metrics: Metrics
  /** Where the log and the keys are written and the projections run: in threads of their own (the default), or in the caller's. */
  readonly thread?: 'own' | 'caller'
  /** Called once it is logged that such a thread has ended by itself: nothing works any more, and the process is to end. */
  readonly onThreadDied?: () => void
}

export interface ServiceOptions
  extends Omit<StoreOptions, 'metrics'>,
    Omit<SessionsOptions, 'logger'> {
  /** What counts; one that nobody else counts with unless given. */
  readonly metrics?: Metrics
}

export interface OpenedService {
  readonly service: Service
  /** The absolute path of the data folder. */
  readonly folder: string
  /** Whether nobody had used the log yet. */
  readonly isNew: boolean
  /** The operator's token, when it was made just now. */
  readonly newOperatorToken?: string | undefined
}

/**
 * Opens everything, making what is missing. Rejects with an `Error` that says what to do when the folder is in use, a file of it is
 * damaged, a server cannot be used in time, or what they keep is of another log or another master key.
 */
export async function openService({
  metrics = openMetrics(),
  ...options
}: ServiceOptions): Promise<OpenedService> {
  const closers: Close[] = []
  try {
    return await openAll({ ...options, metrics }, closers)
  } catch (error) {
    // what goes wrong in closing only follows from it
    await closeAll(closers).catch(() => undefined)
    throw startRefusal(error)
  }
}

type Close = () => Promise<void>

type Options = StoreOptions & Omit<SessionsOptions, 'logger'>

async function openAll(options: Options, closers: Close[]): Promise<OpenedService> {
  const { eventStoreUrl, mongoDbUrl, role, logger, metrics } = options
  // 1. The folder, the servers, the threads.
  const folder = openFolder(options)
  const mongo = await mongoOf(options)
  if (mongo) closers.push(mongo.close)
  const threads = startThreads(options)
  closers.push(threads.owner.close, threads.readModels.close)

  // 2. The log, which keeps other processes out of the folder before anything is written, and the keys.
  const log = await openLog(options, threads, mongo)
  closers.push(log.close)
  const first = await log.readAll({ after: 0, limit: ownEventsMax + 1 })
  refuseOtherEpoch(first[0])
  const { masterKey, operatorTokenHash, newOperatorToken } = await openSecrets(options, log, mongo)
  const keyring = await openKeys(options, {
    ...{ masterKey, keeper: mongo ?? threads.owner, closers },
  })
  if (isOnServers(options)) noteServers(dataFolder(folder))

  // 3. The read models; they may still be catching up, here or in another instance.
  const { readModels } = threads
  const places = { folder, headBuffer: log.headBuffer, eventStoreUrl, mongoDbUrl }
  await readModels.ask('open', { ...places, mayRun: role !== 'api' })
  closers.push(readModels.close)
  const documents = await openNotedDocuments(places, options, closers)
  const ofDocuments = { of: 'documents', names: ['answer'], logger, metrics } as const
  const answering = notingDamage(readModels.answering, ofDocuments).store

  // 4. The context, and what the service does by itself.
  const damagedFiles = new Set<DamagedStore>()
  const over = { log, documents, keyring, damagedFiles, operatorTokenHash, answering }
  const { projections } = readModels
  const context = await openContext(options, { ...over, projections, folder }, closers)
  await installShippedSet(context)
  const work = startHourlyWork(context)
  closers.push(async () => work.close())
  metrics.watch({ state: () => stateOf(context), keysReady: keyring.keysReady })
  if (!isOnServers(options) && options.thread !== 'caller') {
    void checkFiles({ logger, folder, damagedFiles, ask: readModels.ask })
  }
  const service = serviceOf(context, () => closeAll(closers))
  return { service, folder, isNew: isUnused(first), newOperatorToken }
}

function mongoOf({ mongoDbUrl: url, logger }: Options): Promise<OpenedMongo> | undefined {
  if (url === undefined) return undefined
  return openMongo(url, (waiting) => logger.warn(waiting, 'Waiting for MongoDB.'))
}

/** The read models for reading, which are not ready any more once a damage was found in them. */
async function openNotedDocuments(
  places: StorePlaces,
  { logger, metrics }: Options,
  closers: Close[],
): Promise<ReadStore> {
  const documents = await openDocuments(places)
  closers.push(documents.close)
  const noted = { of: 'documents', logger, metrics } as const
  const names = ['get', 'find', 'load', 'checkpoints'] as const
  const { store, isFound } = notingDamage(documents, { ...noted, names })
  const checkpoints = async () => {
    // a page that was damaged once is, whatever others can still be read
    if (isFound()) throw new Failure('unavailable', 'The read store is damaged.')
    return store.checkpoints()
  }
  return { ...store, checkpoints }
}

async function stateOf(context: ServiceContext) {
  return { ...(await readinessOf(context)), holding: context.projections.holding() }
}

interface Below
  extends Required<
    Pick<
      Dependencies,
      'documents' | 'keyring' | 'projections' | 'answering' | 'damagedFiles' | 'operatorTokenHash'
    >
  > {
  /** The absolute path of the data folder. */
  readonly folder: string
  readonly log: EventStore
}

/** The context over what is open, and what keeps it as the log has it. */
async function openContext(
  options: Options,
  { folder, log, ...below }: Below,
  closers: Close[],
): Promise<ServiceContext> {
  const { masterKey, operatorToken, eventStoreUrl, mongoDbUrl, ...harmless } = options
  const { logger, metrics } = options
  const background = openBackground((err) => logger.error({ err }, 'Background work failed.'))
  closers.push(background.settled)
  const files = dataFolder(folder)
  const snapshots = openSnapshots({
    files: openSnapshotFiles(files.snapshots),
    log,
    onFault: (err) =>
      logger.error({ err }, 'A snapshot cannot be used; its stream is read from the beginning.'),
  })
  closers.push(snapshots.close)
  // one old event that cannot be read is no reason to take no others: only its readers are told
  const names = ['readStream', 'readNews', 'readAll', 'readTail'] as const
  const events = notingDamage(log, { of: 'events', names, logger, metrics, file: files.log }).store
  const context = openServiceContext({
    ...{ ...harmless, ...below, events, background, snapshots },
    onRefused: metrics.requests.refused,
  })
  const { clock, followed } = context
  const onFault = (err: unknown): void =>
    logger.error(
      { err },
      'The configuration in the log cannot be followed; it is read at each use.',
    )
  const cached = cachedStreams(context)
  const following = await follow({ events, cached, clock, followed, onFault })
  closers.push(following.close)
  return context
}

/** The threads beside the one that answers, or what does their work in it. */
export interface Threads {
  /** Of the log and the keys, where not both are on servers. */
  readonly owner: Owner
  readonly readModels: ReadModelsThread
}

function startThreads(options: Options): Threads {
  const { thread = 'own', logger, onThreadDied } = options
  const told = tellProjections(logger)
  if (thread === 'caller') {
    return { owner: ownerHere(options), readModels: startReadModels({ ...told, here: options }) }
  }
  const onDied = (reason: string): void => {
    logger.fatal({ reason }, 'A thread of Vigil has ended: the process ends.')
    onThreadDied?.()
  }
  const isNeeded = options.eventStoreUrl === undefined || options.mongoDbUrl === undefined
  return {
    owner: isNeeded ? startOwner(onDied) : ownerHere(options),
    readModels: startReadModels({ ...told, onDied }),
  }
}

const isOnServers = ({ eventStoreUrl, mongoDbUrl }: Options): boolean =>
  eventStoreUrl !== undefined || mongoDbUrl !== undefined

/**
 * The absolute path of the folder, whose owner is told when others may read what is in it. Throws an `Error` that says what to do when log or
 * keys are somewhere else than the options say.
 */
function openFolder(options: Options): string {
  const folder = openDataFolder(options.dataFolder)
  if (!isOnServers(options)) refuseServers(folder)
  if (options.eventStoreUrl !== undefined) refuseOwnStores(folder, ['log'])
  if (options.mongoDbUrl !== undefined) refuseOwnStores(folder, ['keys'])
  const paths = openToOthers(folder)
  if (paths.length > 0) {
    options.logger.warn(
      { paths },
      'Others than the owner may read or write data of Vigil: chmod 700 the folder and 600 its files.',
    )
  }
  return folder.path
}

/** What a start writes by itself before it can be answered, at the most. */
const ownEventsMax = 500

/** Whether nobody has used the log yet: it holds at most what a first start writes by itself and may not have come further. */
function isUnused(first: readonly RecordedEvent[]): boolean {
  return first.length <= ownEventsMax && first.every(({ stream }) => stream === managedStream)
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
  if (metadata.epoch === epoch) return
  throw new Error(
    'Cannot use the event log: it was made by a development version of Vigil. Start with an empty folder, and with an empty EventStoreDB and MongoDB where those are set.',
  )
}
