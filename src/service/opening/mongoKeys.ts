/** The sealing keys that MongoDB keeps, as the opening of the service and the restoring of what is lost need them. */

import type { Chance, Clock } from '../../domain/clock.ts'
import type { KeyLoss, KeysToInspect } from '../../stores/embedded/inspectKeys.ts'
import type { KeyStore } from '../../stores/keyStore.ts'
import type { OpenedMongo } from './openMongo.ts'

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
