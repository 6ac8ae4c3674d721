/** Opens the stores, in the data folder or on servers, and the context of the service over them. */

import { openSnapshots } from '../../commands/handling/snapshots.ts'
import type { Chance, Clock } from '../../domain/clock.ts'
import type { Role } from '../../domain/role.ts'
import { type EventMetadata, epoch } from '../../events/recording/event.ts'
import { managedStream } from '../../events/rulebook/rulebook.ts'
import type { Logger } from '../../log.ts'
import type { DamagedStore } from '../../metrics/damageMeter.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'
import { startRefusal } from '../../stores/embedded/databaseTrouble.ts'
import {
  type DataFolder,
  dataFolder,
  noteServers,
  openDataFolder,
  openToOthers,
  refuseOwnStores,
  refuseServers,
} from '../../stores/embedded/dataFolder.ts'
import type { Installation } from '../../stores/embedded/installation.ts'
import { type Owner, startOwner } from '../../stores/embedded/owner.ts'
import type { EventStore, RecordedEvent } from '../../stores/eventStore.ts'
import { openMongo } from '../../stores/mongodb/openMongo.ts'
import { openSnapshotFiles } from '../../stores/snapshotFiles.ts'
import { type Damage, openDamage } from './damage.ts'
import { follow } from './follow.ts'
import { type OpenedKeys, openKeys, openSecrets } from './openKeys.ts'
import { openLog } from './openLog.ts'
import {
  type OpenedReadModels,
  openReadModels,
  type ReadModelsThread,
  startReadModelsThread,
  tellProjections,
} from './openReadModels.ts'
import { openServiceContext, type ServiceContext } from './serviceContext.ts'

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

export interface OpenedStores {
  readonly context: ServiceContext
  /** SHA-256 of the operator's token, hexadecimal. */
  readonly operatorTokenHash: string
  /** The absolute path of the data folder. */
  readonly folder: string
  /** Whether nobody had used the log yet. */
  readonly isNew: boolean
  /** The operator's token, when it was made just now. */
  readonly newOperatorToken?: string
  /** How many sealing keys are ready to be given out. */
  readonly keysReady: () => number
  /** Finishes what is under way, flushes, closes the stores. */
  readonly close: () => Promise<void>
}

/**
 * Opens the stores, making what is missing. Rejects with an `Error` that says what to do when the folder is in use, a file of it is damaged,
 * a server cannot be used in time, or what they keep belongs to another log or another master key.
 */
export async function openStores(options: StoreOptions): Promise<OpenedStores> {
  const closers: Close[] = []
  try {
    return await openAll(options, closers)
  } catch (error) {
    throw await refusalOnceClosed(error, () => closeAll(closers))
  }
}

/** The error to end a start with, once everything is closed: what goes wrong in closing only follows from it. */
export async function refusalOnceClosed(error: unknown, close: Close): Promise<unknown> {
  await close().catch(() => undefined)
  return startRefusal(error)
}

type Close = () => Promise<void>

interface Opening {
  readonly options: StoreOptions
  /** The absolute path of the data folder. */
  readonly folder: string
  readonly closers: Close[]
  /** Files that were found damaged as a whole. */
  readonly damagedFiles: Set<DamagedStore>
}

async function openAll(options: StoreOptions, closers: Close[]): Promise<OpenedStores> {
  const { logger } = options
  const folder = openFolder(options)
  const onWait = (waiting: object): void => logger.warn(waiting, 'Waiting for MongoDB.')
  const { mongoDbUrl } = options
  const mongo = mongoDbUrl === undefined ? undefined : await openMongo(mongoDbUrl, onWait)
  if (mongo) closers.push(mongo.close)
  const threads = startThreads(options)
  if (threads?.owner) closers.push(threads.owner.close)
  if (threads) closers.push(threads.readModels.close)
  // Before anything is written, since it keeps other processes out of the folder.
  const log = await openLog(options, mongo?.witnesses ?? [], threads)
  const { events } = log
  closers.push(events.close)
  const first = await events.readAll({ after: 0, limit: ownEventsMax + 1 })
  refuseOtherEpoch(first[0])
  const secrets = await openSecrets(options, events, mongo)
  const keyring = await openKeys(options, secrets.masterKey, { mongo, owner: threads?.owner })
  closers.push(keyring.close)
  if (isOnServers(options)) noteServers(dataFolder(folder))
  const readModels = await openReadModels(options, {
    folder,
    log,
    mongo,
    thread: threads?.readModels,
    onOpened: (close) => closers.push(close),
  })
  const damagedFiles = new Set<DamagedStore>()
  const opening = { options, folder, closers, damagedFiles }
  const opened = await openOver(opening, { events, keyring, readModels, secrets })
  if (threads?.owner) void checkFiles(opening, threads.readModels.ask)
  return { ...opened, isNew: isUnused(first) }
}

/** Looks once at the whole of every file, while the service works. */
async function checkFiles(
  { folder, options: { logger }, damagedFiles }: Opening,
  ask: ReadModelsThread['ask'],
): Promise<void> {
  const { keys, views, log } = dataFolder(folder)
  const files = { keys, documents: views, events: log }
  for (const [store, file] of Object.entries(files) as [DamagedStore, string][]) {
    // a thread that has ended, or is to end, answers no more
    const found = await ask('findDamage', file).catch(() => undefined)
    if (found === undefined) continue
    damagedFiles.add(store)
    logger.error({ kind: 'damage', store, file }, `${found}. ${wayOn[store]}`)
  }
}

const wayOn: Readonly<Record<DamagedStore, string>> = {
  events: 'Stop Vigil and restore a backup.',
  documents: 'Stop Vigil, delete views.db and start again, which builds it anew from the log.',
  keys: 'Stop Vigil and restore a backup.',
}

/** The threads beside the caller's. */
export interface Threads {
  /** Undefined when servers keep log and keys. */
  readonly owner: Owner | undefined
  readonly readModels: ReadModelsThread
}

/** Undefined when the caller's thread does all. */
function startThreads(options: StoreOptions): Threads | undefined {
  const { thread = 'own', eventStoreUrl, mongoDbUrl, logger, onThreadDied } = options
  if (thread === 'caller') return undefined
  const onDied = (reason: string): void => {
    logger.fatal({ reason }, 'A thread of Vigil has ended: the process ends.')
    onThreadDied?.()
  }
  return {
    owner: eventStoreUrl === undefined || mongoDbUrl === undefined ? startOwner(onDied) : undefined,
    readModels: startReadModelsThread({ ...tellProjections(logger), onDied }),
  }
}

interface OpenedBelow {
  readonly events: EventStore
  readonly keyring: OpenedKeys
  readonly readModels: OpenedReadModels
  readonly secrets: Pick<Installation, 'operatorTokenHash' | 'newOperatorToken'>
}

/** The context over what is open. */
async function openOver(
  { options, folder, closers, damagedFiles }: Opening,
  { events, keyring, readModels, secrets }: OpenedBelow,
): Promise<Omit<OpenedStores, 'isNew'>> {
  const { role = 'all', clock, chance, logger, metrics } = options
  const { operatorTokenHash, newOperatorToken } = secrets
  const background = openBackground((err) => logger.error({ err }, 'Background work failed.'))
  closers.push(background.settled)
  const snapshots = openSnapshots({
    files: openSnapshotFiles(dataFolder(folder).snapshots),
    log: events,
    onFault: (err) =>
      logger.error({ err }, 'A snapshot cannot be used; its stream is read from the beginning.'),
  })
  closers.push(snapshots.close)
  const damage = openDamage('events', { logger, metrics, file: dataFolder(folder).log })
  const context = openServiceContext({
    events: notingReads(events, damage),
    ...readModels,
    keyring,
    damagedFiles,
    role,
    clock,
    chance,
    background,
    metrics,
    snapshots,
    dispatchLifetimeMs: options.dispatchLifetimeMs,
    refreshRepeatMs: options.refreshRepeatMs,
    onRefused: metrics.requests.refused,
  })
  const following = await followed(context, logger)
  closers.push(following.close)
  return {
    context,
    operatorTokenHash,
    folder,
    ...(newOperatorToken !== undefined && { newOperatorToken }),
    keysReady: keyring.keysReady,
    close: () => closeAll(closers),
  }
}

/** Its readers are told of a damage, and only they: one old event that cannot be read is no reason to take no others. */
function notingReads(events: EventStore, { noting }: Damage): EventStore {
  return {
    ...events,
    readStream: noting(events.readStream),
    readNews: noting(events.readNews),
    readAll: noting(events.readAll),
    readTail: noting(events.readTail),
  }
}

function followed(context: ServiceContext, logger: Logger) {
  return follow(context, (err) => {
    logger.error(
      { err },
      'The configuration in the log cannot be followed; it is read at each use.',
    )
  })
}

const isOnServers = ({ eventStoreUrl, mongoDbUrl }: StoreOptions): boolean =>
  eventStoreUrl !== undefined || mongoDbUrl !== undefined

/** Throws an `Error` that says what to do when log or keys are somewhere else than the options say. */
function refuseOtherPlace(folder: DataFolder, options: StoreOptions): void {
  if (!isOnServers(options)) refuseServers(folder)
  if (options.eventStoreUrl !== undefined) refuseOwnStores(folder, ['log'])
  if (options.mongoDbUrl !== undefined) refuseOwnStores(folder, ['keys'])
}

/** The absolute path of the folder, whose owner is told when others may read what is in it. */
function openFolder(options: StoreOptions): string {
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

export interface Background {
  /** Starts it at once. What it rejects with is told to whoever opened this, and to nobody else. */
  readonly run: (work: () => Promise<void>) => void
  /** Resolves when nothing is under way. */
  readonly settled: () => Promise<void>
}

/** `onFailure` must not throw. */
export function openBackground(onFailure: (error: unknown) => void): Background {
  const underWay = new Set<Promise<void>>()
  return {
    run: (work) => {
      const done = work()
        .catch(onFailure)
        .finally(() => underWay.delete(done))
      underWay.add(done)
    },
    settled: async () => {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
