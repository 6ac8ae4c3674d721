/** Opens the service: the stores and their checks, the read models, the context, the areas. */

import { openSnapshots } from '../commands/handling/snapshots.ts'
import { installShippedSet } from '../commands/rulebook/managed/installManagedSet.ts'
import { rotateDueSigningKeys } from '../commands/sessions/apps/signingKeys.ts'
import { openPasswordSweep } from '../commands/sessions/passwords/storedPasswords.ts'
import type { Chance, Clock } from '../domain/clock.ts'
import type { Role } from '../domain/role.ts'
import { type EventMetadata, epoch } from '../events/recording/event.ts'
import { managedStream } from '../events/rulebook/rulebook.ts'
import type { Logger } from '../log.ts'
import type { DamagedStore } from '../metrics/damageMeter.ts'
import { type Metrics, openMetrics } from '../metrics/openMetrics.ts'
import { readinessOf } from '../queries/operations/readiness.ts'
import { startRefusal } from '../stores/embedded/databaseErrors.ts'
import {
  type DataFolder,
  dataFolder,
  noteServers,
  openDataFolder,
  openToOthers,
  refuseOwnStores,
  refuseServers,
} from '../stores/embedded/dataFolder.ts'
import type { Installation } from '../stores/embedded/installation.ts'
import { type Owner, ownerHere, startOwner } from '../stores/embedded/owner.ts'
import type { EventStore, RecordedEvent } from '../stores/eventStore.ts'
import type { OpenKeyring } from '../stores/keys/keyring.ts'
import { type OpenedMongo, openMongo } from '../stores/mongodb/openMongo.ts'
import { openSnapshotFiles } from '../stores/snapshotFiles.ts'
import { checkFiles, notingLog } from './damage.ts'
import { follow } from './follow.ts'
import { openHourlyWork, openRetentionSweep } from './hourlyWork.ts'
import { openKeys, openLog, openSecrets } from './openLogAndKeys.ts'
import {
  type OpenedReadModels,
  openReadModels,
  type ReadModelsThread,
  startReadModels,
  tellProjections,
} from './openReadModels.ts'
import type { SessionsOptions } from './openSessionsContext.ts'
import { joinService, type Service } from './service.ts'
import { openBackground, openServiceContext, type ServiceContext } from './serviceContext.ts'

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
  /** For how long the answer of a refresh is given again to its own client, in milliseconds; five minutes unless given. */
  readonly refreshRepeatMs?: number | undefined
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
  readonly newOperatorToken?: string
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

type Options = Omit<ServiceOptions, 'metrics'> & { readonly metrics: Metrics }

async function openAll(options: Options, closers: Close[]): Promise<OpenedService> {
  // 1. The folder, the servers, the threads.
  const folder = openFolder(options)
  const mongo = await mongoOf(options)
  if (mongo) closers.push(mongo.close)
  const threads = startThreads(options)
  closers.push(threads.owner.close, threads.readModels.close)

  // 2. The log, which keeps other processes out of the folder before anything is written, and the keys.
  const log = await openLog(options, mongo?.witnesses ?? [], threads)
  const { events } = log
  closers.push(events.close)
  const first = await events.readAll({ after: 0, limit: ownEventsMax + 1 })
  refuseOtherEpoch(first[0])
  const secrets = await openSecrets(options, events, mongo)
  const keyring = await openKeys(options, secrets.masterKey, mongo ?? threads.owner)
  closers.push(keyring.close)
  if (isOnServers(options)) noteServers(dataFolder(folder))

  // 3. The read models and who projects them.
  const readModels = await openReadModels(options, {
    ...{ folder, log, mongo, masterKey: secrets.masterKey, thread: threads.readModels },
    onOpened: (close) => closers.push(close),
  })

  // 4. The context, and the service over it.
  const damagedFiles = new Set<DamagedStore>()
  const below = { folder, events, keyring, readModels, damagedFiles }
  const context = await openContext(options, below, closers)
  const service = await openAreas(context, options, { ...secrets, closers })
  if (!isOnServers(options) && options.thread !== 'caller') {
    void checkFiles({ ...options, folder, damagedFiles, ask: threads.readModels.ask })
  }
  const { newOperatorToken } = secrets
  return {
    ...{ service, folder, isNew: isUnused(first) },
    ...(newOperatorToken !== undefined && { newOperatorToken }),
  }
}

function mongoOf({ mongoDbUrl: url, logger }: Options): Promise<OpenedMongo> | undefined {
  if (url === undefined) return undefined
  return openMongo(url, (waiting) => logger.warn(waiting, 'Waiting for MongoDB.'))
}

interface OpenedBelow {
  /** The absolute path of the data folder. */
  readonly folder: string
  readonly events: EventStore
  readonly keyring: OpenKeyring
  readonly readModels: OpenedReadModels
  /** Files that were found damaged as a whole. */
  readonly damagedFiles: ReadonlySet<DamagedStore>
}

/** The context over what is open, and what keeps it as the log has it. */
async function openContext(
  options: Options,
  { folder, events, readModels, ...below }: OpenedBelow,
  closers: Close[],
): Promise<ServiceContext> {
  const { role = 'all', clock, chance, logger, metrics } = options
  const background = openBackground((err) => logger.error({ err }, 'Background work failed.'))
  closers.push(background.settled)
  const snapshots = openSnapshots({
    files: openSnapshotFiles(dataFolder(folder).snapshots),
    log: events,
    onFault: (err) =>
      logger.error({ err }, 'A snapshot cannot be used; its stream is read from the beginning.'),
  })
  closers.push(snapshots.close)
  const closing = new AbortController()
  closers.push(async () => closing.abort())
  const context = openServiceContext({
    closing: closing.signal,
    ...{ ...below, ...readModels, role, clock, chance, background, metrics, snapshots },
    events: notingLog(events, { logger, metrics, file: dataFolder(folder).log }),
    dispatchLifetimeMs: options.dispatchLifetimeMs,
    refreshRepeatMs: options.refreshRepeatMs,
    onRefused: metrics.requests.refused,
  })
  const following = await follow(context, (err) => {
    logger.error(
      { err },
      'The configuration in the log cannot be followed; it is read at each use.',
    )
  })
  closers.push(following.close)
  return context
}

/** The areas over the context, and what they do by themselves. */
async function openAreas(
  context: ServiceContext,
  options: Options,
  {
    operatorTokenHash,
    closers,
  }: Pick<Installation, 'operatorTokenHash'> & { readonly closers: Close[] },
): Promise<Service> {
  await installShippedSet(context)
  const close = () => closeAll(closers)
  const service = joinService({ context, operatorTokenHash, sessions: options, close })
  const { sessionsContext } = service
  const works = [
    openHourlyWork(context, () => rotateDueSigningKeys(sessionsContext)),
    openHourlyWork(context, openPasswordSweep(sessionsContext)),
    openRetentionSweep(context),
  ]
  closers.push(async () => {
    for (const work of works) work.close()
  })
  const state = async () => ({
    ...(await readinessOf(context)),
    holding: context.projections.holding(),
  })
  options.metrics.watch({ state, keysReady: context.keyring.keysReady })
  return service
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

/** Throws an `Error` that says what to do when log or keys are somewhere else than the options say. */
function refuseOtherPlace(folder: DataFolder, options: Options): void {
  if (!isOnServers(options)) refuseServers(folder)
  if (options.eventStoreUrl !== undefined) refuseOwnStores(folder, ['log'])
  if (options.mongoDbUrl !== undefined) refuseOwnStores(folder, ['keys'])
}

/** The absolute path of the folder, whose owner is told when others may read what is in it. */
function openFolder(options: Options): string {
  const { logger } = options
  const folder = openDataFolder(options.dataFolder)
  refuseOtherPlace(folder, options)
  const paths = openToOthers(folder)
  if (paths.length > 0) {
    logger.warn(
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
  for (;;) {
    const close = closers.pop()
    if (!close) break
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
