/** The sealing keys of a data folder, wherever they are kept, to be read while they are in use. */

import { existsSync, statSync } from 'node:fs'
import type { DataFolder } from '../../../stores/embedded/dataFolder.ts'
import { openKeptKeys } from '../../../stores/embedded/openKeptKeys.ts'
import type { KeptKeys } from '../../../stores/keptKeys.ts'
import { openMongo } from '../../opening/openMongo.ts'

export interface KeysOfFolder extends KeptKeys {
  /** About how many bytes they take in a file. */
  readonly bytes: number
  readonly close: () => Promise<void>
}

/** Of a key in a file: the wrapped secret, its id twice, and what SQLite adds. */
const bytesOfKey = 256

/** Rejects with an `Error` that says what to do when the keys are somewhere else and nobody says where. */
export async function openKeysOfFolder(
  { path, keys, keysElsewhere }: DataFolder,
  mongoDbUrl: string | undefined,
): Promise<KeysOfFolder> {
  if (!existsSync(keysElsewhere)) {
    const kept = openKeptKeys(keys)
    const bytes = sizeOf(keys) + sizeOf(`${keys}-wal`)
    return { ...kept, bytes, close: async () => kept.close() }
  }
  const mongo = await openMongo(mongoDbUrl)
  if (!mongo) {
    throw new Error(
      `The sealing keys of ${path} are kept by a MongoDB: set MONGODB_URL to it, as the service has it.`,
    )
  }
  const { mongoKeptKeys } = await import('../../../stores/mongodb/mongoKeptKeys.ts')
  const kept = mongoKeptKeys(mongo.database)
  try {
    const [size, { proof }] = [await kept.size(), await kept.about()]
    if (!proof) throw new Error(noKeys(mongo.database.databaseName))
    return { ...kept, bytes: size * bytesOfKey, close: mongo.close }
  } catch (error) {
    await mongo.close()
    throw error
  }
}

function noKeys(database: string): string {
  return `There are no sealing keys of Vigil in MongoDB, database ${database}: name the one that the service uses, or see what is lost with vigil restore.`
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
