/** The sealing keys that MongoDB keeps, as the opening of the service and the restoring of a folder need them. */

import type { Chance, Clock } from '../../domain/clock.ts'
import type { DataFolder } from '../../stores/embedded/dataFolder.ts'
import type { KeyLoss, KeysToInspect } from '../../stores/embedded/inspectKeys.ts'
import { noteKeysElsewhere } from '../../stores/embedded/keysElsewhere.ts'
import type { KeyStore } from '../../stores/keyStore.ts'
import type { OpenedMongo } from './openMongo.ts'

interface Place {
  readonly mongo: Pick<OpenedMongo, 'database'>
  /** The data folder, which remembers the last change of the keys. */
  readonly folder: DataFolder
}

interface Secrets {
  /** 32 bytes. */
  readonly masterKey: Uint8Array
  readonly clock: Clock
  readonly chance: Chance
}

/** Who looks at the keys; see `findKeyLoss`. */
export async function mongoKeyInspection({ mongo, folder }: Place) {
  const { inspectMongoKeys } = await import('../../stores/mongodb/inspectMongoKeys.ts')
  const inspected = { database: mongo.database, witness: folder.keyWitness }
  return (expected: KeysToInspect): Promise<KeyLoss | undefined> =>
    inspectMongoKeys(inspected, expected)
}

/** Opens them; from then on the folder is not opened without MongoDB. Rejects like `openMongoKeyStore`. */
export async function openMongoKeys({ mongo, folder }: Place, secrets: Secrets): Promise<KeyStore> {
  const { openMongoKeyStore } = await import('../../stores/mongodb/mongoKeyStore.ts')
  const witnesses = { log: folder.logWitness, keys: folder.keyWitness }
  const store = await openMongoKeyStore({ database: mongo.database, witnesses, ...secrets })
  noteKeysElsewhere(folder)
  return store
}

/** Begins new keys beside those that are of no use; the others stay under the other name, should their master key be found. */
export async function setAsideMongoKeys({ mongo }: Pick<Place, 'mongo'>, suffix: string) {
  const { setKeysAside } = await import('../../stores/mongodb/setKeysAside.ts')
  return setKeysAside(mongo.database, suffix)
}
