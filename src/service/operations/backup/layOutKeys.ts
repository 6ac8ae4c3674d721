/** Adds the sealing keys of a backup to those in MongoDB: none that stands there is lost, none that was destroyed comes back. */

import { uuidV7 } from '../../../domain/uuid.ts'
import type { DataFolder } from '../../../stores/embedded/dataFolder.ts'
import { noteKeysElsewhere } from '../../../stores/embedded/keysElsewhere.ts'
import type { MergedKeys } from '../../../stores/embedded/mergeKeys.ts'
import { openKeptKeys } from '../../../stores/embedded/openKeptKeys.ts'
import { readWitnessFile } from '../../../stores/embedded/witnessFile.ts'
import type { AboutKeys, KeptKeys } from '../../../stores/keptKeys.ts'
import type { MongoKeptKeys } from '../../../stores/mongodb/mongoKeptKeys.ts'
import type { OpenedMongo } from '../../opening/openMongo.ts'
import { mergeKeptKeys } from './mergeKeptKeys.ts'
import type { RestoreBackupOptions } from './restoreBackup.ts'

/** From the file of the backup. */
export interface KeysToLayOut {
  readonly file: string
  readonly folder: DataFolder
  readonly mongo: OpenedMongo
  readonly options: RestoreBackupOptions
}

/** Throws an `Error` that says what to do when the keys in MongoDB were made under another master key than those of the backup. */
export async function refuseOtherMasterKey(file: string, { database }: OpenedMongo): Promise<void> {
  await withKeys(file, async (source) => {
    const { proof } = await source.about()
    const { proof: kept } = await (await keysIn(database)).about()
    if (!kept || (proof && Buffer.from(kept).equals(proof))) return
    throw new Error(
      `The sealing keys in MongoDB, database ${database.databaseName}, were made under another master key than those of the backup: name the database that the backup is of, or an empty one. Nothing was changed.`,
    )
  })
}

/** Answers what stood there and is not in the backup. Again is right at any point. */
export async function layOutKeys({
  file,
  folder,
  mongo,
  options,
}: KeysToLayOut): Promise<MergedKeys> {
  return withKeys(file, async (source) => {
    const target = await keysIn(mongo.database)
    const before = await target.about()
    const merged = await mergeKeptKeys({ target, source, work: options })
    const about = await source.about()
    await target.finish(
      about.proof ?? new Uint8Array(),
      nextChange([about, before], folder, options),
    )
    if (!before.seenOfLog) await mongo.seeLog(about.seenOfLog)
    noteKeysElsewhere(folder)
    return merged
  })
}

/** Behind every change that anybody knows of: restoring is one. */
function nextChange(
  both: readonly AboutKeys[],
  { keyWitness }: DataFolder,
  { clock, chance }: RestoreBackupOptions,
) {
  const witness = readWitnessFile(keyWitness)
  const known = [
    ...both.map(({ lastChange }) => lastChange?.position ?? 0),
    typeof witness === 'object' ? witness.position : 0,
  ]
  const position = Math.max(...known) + 1
  return { position, id: uuidV7(clock, chance), checksum: 0, atMs: clock.nowMs() }
}

async function keysIn(database: OpenedMongo['database']): Promise<MongoKeptKeys> {
  const { mongoKeptKeys } = await import('../../../stores/mongodb/mongoKeptKeys.ts')
  return mongoKeptKeys(database)
}

async function withKeys<Result>(
  file: string,
  work: (keys: KeptKeys) => Promise<Result>,
): Promise<Result> {
  const keys = openKeptKeys(file)
  try {
    return await work(keys)
  } finally {
    keys.close()
  }
}
