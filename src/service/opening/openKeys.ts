/** Opens what personal data is sealed with: the secrets of the installation and the keyring. */

import type { Chance, Clock } from '../../domain/clock.ts'
import type { LossEvent } from '../../events/operations/loss.ts'
import type { EventMetadata } from '../../events/recording/event.ts'
import { type DataFolder, dataFolder } from '../../stores/embedded/dataFolder.ts'
import {
  inspectKeys,
  type KeyLoss,
  type KeysToInspect,
} from '../../stores/embedded/inspectStores.ts'
import { openEmbeddedKeyStore } from '../../stores/embedded/keyStore.ts'
import { type Owner, ownedKeys } from '../../stores/embedded/owner.ts'
import type { EventStore, RecordedEvent } from '../../stores/eventStore.ts'
import {
  type FollowDestructionsOptions,
  followDestructions,
} from '../../stores/followDestructions.ts'
import { type KeyringOptions, type OpenKeyring, openKeyring } from '../../stores/keyring.ts'
import type { KeyStore } from '../../stores/keyStore.ts'
import { type Damage, openDamage } from './damage.ts'
import { findMasterKey, type Installation, openInstallation } from './installation.ts'
import type { OpenedMongo } from './openMongo.ts'
import type { StoreOptions } from './openStores.ts'

/** The secrets of the installation, once it is known that no key is missing: new ones beside old data would only hide that. */
export async function openSecrets(
  options: StoreOptions,
  events: EventStore,
  mongo: OpenedMongo | undefined,
): Promise<Installation> {
  const folder = dataFolder(options.dataFolder)
  const input = { ...secretsOf(options), folder: folder.path, chance: options.chance }
  const inspect = mongo && (await mongoKeyInspection(mongo))
  const loss = await findKeyLoss({
    folder,
    ...(inspect && { inspect }),
    masterKey: findMasterKey(input),
    head: await events.head(),
    readTail: events.readTail,
  })
  if (loss) throw keyLossRefusal(loss, mongo ? putBackDatabase : putBackFiles)
  return openInstallation(input)
}

const putBackDatabase =
  'Name the database that the log belongs to, start with its master key, or put back the newest backup of it'

/** A keyring and the store under it. */
export interface OpenedKeys extends OpenKeyring {
  readonly store: KeyStore
}

/** The keyring over the key store; closing it closes both. Rejects with an `Error` for an operator when it cannot be used. */
export async function openKeys(
  options: StoreOptions,
  masterKey: Uint8Array,
  kept: KeptBy,
): Promise<OpenedKeys> {
  const { chance } = options
  const damage = openDamage('keys', options)
  const store = notingDamage(await openStore(options, masterKey, kept), damage)
  try {
    const keyring = await openKeyring({
      ...{ store, masterKey, chance, ...watched(options) },
      ...(options.keyPoolSize !== undefined && { poolSize: options.keyPoolSize }),
    })
    const following = followDestructions({ store, keyring, ...followed(options) })
    return {
      ...keyring,
      store,
      storesKeys: () => !damage.isFound() && keyring.storesKeys() && following.hears(),
      close: () => closeAll([following, keyring, store]),
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

function notingDamage(store: KeyStore, { noting }: Damage): KeyStore {
  return {
    make: noting(store.make),
    add: noting(store.add),
    keys: noting(store.keys),
    destroy: noting(store.destroy),
    destroyedSince: noting(store.destroyedSince),
    discard: noting(store.discard),
    close: noting(store.close),
  }
}

/** Who keeps the keys: MongoDB, else the owner of the folder, else the caller's thread. */
export interface KeptBy {
  readonly mongo: OpenedMongo | undefined
  readonly owner: Owner | undefined
}

async function openStore(
  { dataFolder: folder, clock, chance }: StoreOptions,
  masterKey: Uint8Array,
  { mongo, owner }: KeptBy,
): Promise<KeyStore> {
  if (mongo) return openMongoKeys(mongo, { masterKey, clock, chance })
  return owner
    ? ownedKeys(owner, { folder, masterKey })
    : openEmbeddedKeyStore({ folder, masterKey, clock, chance })
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

/** How many of the last events are asked for their keys; one that only older events name is missed when one of them is read. */
const tailMax = 2_000

const accepted: LossEvent['type'] = 'KeyLossAccepted'

export interface KeysOfLog {
  readonly folder: DataFolder
  /** Who looks at the keys; the key store of the folder unless given. */
  readonly inspect?: (expected: KeysToInspect) => Promise<KeyLoss | undefined>
  /** The master key that the service would start with; undefined when there is none. */
  readonly masterKey: Uint8Array | undefined
  /** The position of the log's last event. */
  readonly head: number
  /** The last events of the log, in order. */
  readonly readTail: (limit: number) => readonly RecordedEvent[] | Promise<readonly RecordedEvent[]>
}

/** The loss, or undefined. Throws what the stores throw. */
export async function findKeyLoss(input: KeysOfLog): Promise<KeyLoss | undefined> {
  const { folder, masterKey, head, readTail } = input
  const { inspect = async (expected) => inspectKeys(folder, expected) } = input
  return inspect({ masterKey, logInUse: head > 0, named: await keysOfTail(readTail) })
}

/** The keys that the last events of the log are sealed under. Throws what the store throws. */
async function keysOfTail(readTail: KeysOfLog['readTail']): Promise<readonly string[]> {
  const tail = await readTail(tailMax)
  // what went with an accepted loss is not looked for again
  const since = tail.findLastIndex(({ type }) => type === accepted) + 1
  return [...new Set(tail.slice(since).flatMap(keysOf))]
}

function keysOf({ metadata }: RecordedEvent): readonly string[] {
  const { subjects = [] } = JSON.parse(metadata) as EventMetadata
  return subjects.map(({ key }) => key)
}

/** What to do about keys in a data folder. */
const putBackFiles =
  'Put back keys.db, keys.db-wal and master.key as they were, or the newest backup of them'

/** The refusal of a start: what is missing and what to do. */
export function keyLossRefusal({ text }: KeyLoss, putBack = putBackFiles): Error {
  return new Error(
    `Cannot use ${text}. No key was changed. ${putBack}; to go on without the keys that are missing: vigil restore --accept-key-loss.`,
  )
}

type Mongo = Pick<OpenedMongo, 'database'>

interface Secrets {
  /** 32 bytes. */
  readonly masterKey: Uint8Array
  readonly clock: Clock
  readonly chance: Chance
}

/** Who looks at the keys; see `findKeyLoss`. */
export async function mongoKeyInspection({ database }: Mongo) {
  const { inspectMongoKeys } = await import('../../stores/mongodb/inspectMongoKeys.ts')
  return (expected: KeysToInspect): Promise<KeyLoss | undefined> =>
    inspectMongoKeys(database, expected)
}

/** Opens them. Rejects like `openMongoKeyStore`. */
export async function openMongoKeys({ database }: Mongo, secrets: Secrets): Promise<KeyStore> {
  const { openMongoKeyStore } = await import('../../stores/mongodb/mongoKeyStore.ts')
  return openMongoKeyStore({ database, ...secrets })
}

/** Begins new keys beside those that are of no use; the others stay under the other name, should their master key be found. */
export async function setAsideMongoKeys({ database }: Mongo, suffix: string) {
  const { setKeysAside } = await import('../../stores/mongodb/setKeysAside.ts')
  return setKeysAside(database, suffix)
}
