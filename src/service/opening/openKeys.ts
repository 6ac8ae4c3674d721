/** Opens what personal data is sealed with: the secrets of the installation and the keyring. */

import { dataFolder } from '../../stores/embedded/dataFolder.ts'
import { inspectKeys, keyLossRefusal } from '../../stores/embedded/inspectStores.ts'
import {
  findMasterKey,
  type Installation,
  openInstallation,
} from '../../stores/embedded/installation.ts'
import { openEmbeddedKeyStore } from '../../stores/embedded/keyStore.ts'
import { type Owner, ownedKeys } from '../../stores/embedded/owner.ts'
import type { EventStore } from '../../stores/eventStore.ts'
import {
  type FollowDestructionsOptions,
  followDestructions,
} from '../../stores/followDestructions.ts'
import { type KeyringOptions, type OpenKeyring, openKeyring } from '../../stores/keyring.ts'
import type { KeyStore } from '../../stores/keyStore.ts'
import type { OpenedMongo } from '../../stores/mongodb/openMongo.ts'
import { type Damage, openDamage } from './damage.ts'
import type { StoreOptions } from './openStores.ts'

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
  if (mongo) return mongo.openKeys({ masterKey, clock, chance })
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
