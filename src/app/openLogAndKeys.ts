/** Opens the log and the sealing keys: those in the data folder, or those on servers. */

import { randomUUID } from 'node:crypto'
import type { Logger } from '../log.ts'
import { dataFolder, lockFolder, openDataFolder } from '../stores/embedded/dataFolder.ts'
import { openEmbeddedEventStore } from '../stores/embedded/embeddedEventStore.ts'
import { inspectKeys, keyLossRefusal } from '../stores/embedded/inspectStores.ts'
import {
  findMasterKey,
  type Installation,
  openInstallation,
} from '../stores/embedded/installation.ts'
import { type Owner, ownedKeys } from '../stores/embedded/owner.ts'
import type { LogWitness } from '../stores/embedded/witnesses.ts'
import type { EventStore } from '../stores/eventStore.ts'
import type { KeyStore } from '../stores/keyStore.ts'
import {
  type FollowDestructionsOptions,
  followDestructions,
} from '../stores/keys/followDestructions.ts'
import { type KeyringOptions, type OpenKeyring, openKeyring } from '../stores/keys/keyring.ts'
import type { OpenedMongo } from '../stores/mongodb/openMongo.ts'
import { openDamage } from './damage.ts'
import type { StoreOptions, Threads } from './openService.ts'

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
 * `witnesses` is what others than the folder know of the log. Keeps other processes out of the folder
 * until the log is closed. Rejects with an `Error` that says what to do.
 */
export function openLog(
  options: StoreOptions,
  witnesses: readonly LogWitness[],
  threads: Threads,
): Promise<OpenedLog> {
  return options.eventStoreUrl === undefined
    ? openEmbedded(options, threads)
    : openServer(options, options.eventStoreUrl, witnesses)
}

async function openEmbedded(
  options: StoreOptions,
  { owner, readModels }: Threads,
): Promise<OpenedLog> {
  const { dataFolder: folder, metrics, logger } = options
  const events = await openEmbeddedEventStore({
    folder,
    moveWal: (file) => readModels.ask('moveWal', file),
    thread: owner,
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
    const { openEventStoreDb } = await import('../stores/eventstoredb/openEventStoreDb.ts')
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

/** The secrets of the installation, once it is known that no key is missing: new ones beside old data would only hide that. */
export async function openSecrets(
  options: StoreOptions,
  events: EventStore,
  mongo: OpenedMongo | undefined,
): Promise<Installation> {
  const folder = dataFolder(options.dataFolder)
  const input = { ...secretsOf(options), folder: folder.path, chance: options.chance }
  const expected = { masterKey: findMasterKey(input), logInUse: (await events.head()) > 0 }
  const loss = mongo ? await mongo.inspectKeys(expected) : inspectKeys(folder, expected)
  if (loss) throw keyLossRefusal(loss, mongo && putBackDatabase)
  return openInstallation(input)
}

const putBackDatabase =
  'Name the database that the log belongs to, start with its master key, or put back the newest backup of it'

/** The keyring over the key store of MongoDB or the owner of the folder; closing it closes both. Rejects with an `Error` for an operator when it cannot be used. */
export async function openKeys(
  options: StoreOptions,
  masterKey: Uint8Array,
  keeper: OpenedMongo | Owner,
): Promise<OpenKeyring> {
  const damage = openDamage('keys', options)
  const { dataFolder: folder, clock, chance } = options
  const opened =
    'openKeys' in keeper
      ? keeper.openKeys({ masterKey, clock, chance })
      : ownedKeys(keeper, { folder, masterKey })
  const store = damage.notingAll(await opened)
  try {
    const keyring = await openKeyring({
      ...{ store, masterKey, chance, ...watched(options) },
      ...(options.keyPoolSize !== undefined && { poolSize: options.keyPoolSize }),
    })
    const following = followDestructions({ store, keyring, ...followed(options) })
    return {
      ...keyring,
      storesKeys: () => !damage.isFound() && keyring.storesKeys() && following.hears(),
      close: () => closeAll([following, keyring, store]),
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** The first one first; all of them, whatever goes wrong. */
async function closeAll([first, ...rest]: readonly Pick<KeyStore, 'close'>[]): Promise<void> {
  try {
    await first?.close()
  } finally {
    if (rest.length > 0) await closeAll(rest)
  }
}

function followed({
  clock,
  logger,
}: StoreOptions): Pick<FollowDestructionsOptions, 'clock' | 'onFault'> {
  return {
    clock,
    onFault: (err) => {
      logger.error({ err }, 'It is not known which sealing keys others destroy; it is asked again.')
    },
  }
}

function watched({
  logger,
  metrics,
}: StoreOptions): Pick<KeyringOptions, 'onFailure' | 'onUnreadable'> {
  return {
    onFailure: (err, failures) => {
      // the first, then ever fewer: a full disk may stay full for days
      if (!Number.isInteger(Math.log2(failures))) return
      logger.error({ err, failures }, 'Sealing keys could not be stored; it is tried again.')
    },
    onUnreadable: (key, why) => {
      metrics.keyUnreadable(why)
      logger.error(
        { key },
        `A sealing key is ${why} that nobody destroyed: restore the sealing keys.`,
      )
    },
  }
}

function secretsOf({ masterKey, operatorToken }: StoreOptions) {
  return {
    ...(masterKey && { masterKey }),
    ...(operatorToken !== undefined && { operatorToken }),
  }
}
