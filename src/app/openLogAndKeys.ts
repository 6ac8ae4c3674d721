/** Opens the event log, the installation's secrets and the sealing keys, locally or on servers. */

import { isVigilEvent } from '../events/recording/event.ts'
import type { DamagedStore } from '../metrics/meters.ts'
import { forgetSessionViews } from '../queries/sessions/sessions.ts'
import { dataFolderAt, lockFolder, openDataFolder } from '../stores/embedded/dataFolder.ts'
import {
  type EmbeddedEventStore,
  openEmbeddedEventStore,
} from '../stores/embedded/embeddedEventStore.ts'
import { inspectKeys } from '../stores/embedded/inspectStores.ts'
import {
  findMasterKey,
  type Installation,
  keepOperatorToken,
  loadOrCreateSecrets,
} from '../stores/embedded/installationSecrets.ts'
import { openThreadKeyStore, type WriterThread } from '../stores/embedded/writerThread.ts'
import type { EventStore } from '../stores/eventStore.ts'
import type { EventStoreDbOptions } from '../stores/eventstoredb/openEventStoreDb.ts'
import type { KeyStore, SharedKeyStore } from '../stores/keyStore.ts'
import { followKeyDestructions } from '../stores/keys/followKeyDestructions.ts'
import { openKeyring, type PooledKeyring } from '../stores/keys/keyring.ts'
import { keyLossError } from '../stores/losses.ts'
import type { OpenedMongo } from '../stores/mongodb/openMongo.ts'
import { reportDamage } from './detectDamage.ts'
import type { StoreOptions, Threads } from './openService.ts'

/** The log; `headBuffer` is there when the folder keeps it. */
export type OpenedLog = EventStore & Partial<Pick<EmbeddedEventStore, 'headBuffer'>>

/**
 * Keeps other processes out of the folder until the log is closed. Rejects with an `Error` that says what to do, also
 * when it has not all that the read models of MongoDB have seen.
 */
export function openLog(
  options: StoreOptions,
  { writer, readModels }: Threads,
  mongo: OpenedMongo | undefined,
): Promise<OpenedLog> {
  const { dataFolder: folder, eventStoreUrl: url, metrics, logger } = options
  const onHealthChange = (reason: string | undefined): void => {
    if (reason === undefined) logger.info('The event log takes appends again.')
    else logger.error({ reason }, 'The event log takes no appends.')
  }
  const callbacks = { onCommit: metrics.committed, onHealthChange }
  if (url !== undefined) return openServer(options, { ...callbacks, url }, mongo)
  const checkpointWal = (file: string) => readModels.call('checkpointWal', file)
  return openEmbeddedEventStore({ ...callbacks, folder, checkpointWal, thread: writer })
}

async function openServer(
  { dataFolder: folder, logger }: StoreOptions,
  callbacks: Pick<EventStoreDbOptions, 'url' | 'onCommit' | 'onHealthChange'>,
  mongo: OpenedMongo | undefined,
): Promise<EventStore> {
  const unlock = lockFolder(openDataFolder(folder))
  const options: EventStoreDbOptions = {
    ...callbacks,
    isOwn: isVigilEvent,
    onWaiting: (what) => logger.warn(what),
    onDrop: (reason) => {
      const why = reason instanceof Error ? reason.message : String(reason)
      logger.warn({ why }, 'EventStoreDB stopped to deliver events; they are asked for again.')
    },
  }
  try {
    // loaded only here: whoever keeps the log in the folder needs nothing of it
    const { openEventStoreDb } = await import('../stores/eventstoredb/openEventStoreDb.ts')
    const server = await openEventStoreDb(options, mongo?.witnesses ?? [])
    return { ...server, close: () => server.close().finally(unlock) }
  } catch (error) {
    unlock()
    throw error
  }
}

/** The secrets, once it is known that no key is missing: new ones beside old data would only hide that. */
export async function loadSecrets(
  { dataFolder: path, masterKey, operatorToken, random, showOperatorToken }: StoreOptions,
  events: EventStore,
  mongo: OpenedMongo | undefined,
): Promise<Installation> {
  const folder = dataFolderAt(path)
  const input = { masterKey, operatorToken, folder: folder.path, random }
  const expected = { masterKey: findMasterKey(input), isLogInUse: (await events.head()) > 0 }
  const loss = mongo ? await mongo.inspectKeys(expected) : inspectKeys(folder, expected)
  if (loss) throw keyLossError(loss, mongo && putBackDatabase)
  const secrets = loadOrCreateSecrets(input)
  if (secrets.newOperatorToken !== undefined) {
    await showOperatorToken?.(secrets.newOperatorToken)
    keepOperatorToken(folder, secrets.newOperatorToken)
  }
  return secrets
}

const putBackDatabase =
  'Name the database that the log belongs to, start with its master key, or put back the newest backup of it'

interface KeysToOpen {
  /** See `reportDamage`. */
  readonly damagedFiles: Set<DamagedStore>
  /** 32 bytes. */
  readonly masterKey: Uint8Array
  /** Who keeps them: the writer of the folder, or MongoDB. */
  readonly keyStorage: OpenedMongo | WriterThread
  /** Takes what is to be closed, the last first. */
  readonly closers: (() => Promise<void>)[]
}

/** The keyring over the key store. Rejects with an `Error` for an operator when it cannot be used. */
export async function openSealingKeys(
  options: Omit<StoreOptions, 'masterKey' | 'operatorToken'>,
  { masterKey, keyStorage, closers, damagedFiles }: KeysToOpen,
): Promise<PooledKeyring> {
  const { dataFolder: folder, clock, random, logger, metrics, keyPoolSize: poolSize } = options
  const opened: KeyStore & Partial<SharedKeyStore> = await ('openKeys' in keyStorage
    ? keyStorage.openKeys({ masterKey, clock, random })
    : openThreadKeyStore(keyStorage, { folder, masterKey }))
  const names = Object.keys(opened) as (keyof typeof opened)[]
  const store = reportDamage(opened, { of: 'keys', names, logger, metrics, damagedFiles })
  closers.push(store.close)
  const keyring = await openKeyring({
    store,
    masterKey,
    random,
    ...(poolSize !== undefined && { poolSize }),
    onForgotten: forgetSessionViews,
    onFailure: (err, failures) => {
      // the first, then ever fewer: a full disk may stay full for days
      if (!Number.isInteger(Math.log2(failures))) return
      logger.error({ err, failures }, 'Sealing keys could not be stored; it is tried again.')
    },
    onUnreadable: (key, why) => {
      metrics.keyUnreadable(why)
      const message = `A sealing key is ${why} that nobody destroyed: restore the sealing keys.`
      logger.error({ key }, message)
    },
  })
  closers.push(keyring.close)
  const { destroyedSince } = store
  if (!destroyedSince) return keyring
  const onFault = (err: unknown): void =>
    logger.error({ err }, 'It is not known which sealing keys others destroy; it is asked again.')
  const following = followKeyDestructions({ store: { destroyedSince }, keyring, clock, onFault })
  closers.push(following.close)
  return { ...keyring, storesKeys: () => keyring.storesKeys() && following.isReachable() }
}
