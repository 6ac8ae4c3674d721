/** What a data folder remembers of a log that goes on somewhere else, or with less than it had. */

import { existsSync } from 'node:fs'
import type { DataFolder } from '../../stores/embedded/dataFolder.ts'
import { seeLog } from '../../stores/embedded/keyHistory.ts'
import { keySchema, keyUpgrades, keyVersion } from '../../stores/embedded/keySchema.ts'
import { eventChecksum } from '../../stores/embedded/logRows.ts'
import { removeViews } from '../../stores/embedded/readStoreFile.ts'
import { bearWitness } from '../../stores/embedded/recordLoss.ts'
import { ensureSchema, openDatabase } from '../../stores/embedded/sqlite.ts'
import type { Mark } from '../../stores/embedded/witnessFile.ts'
import type { RecordedEvent } from '../../stores/eventStore.ts'

/** The mark of the last event. */
export function markOf(event: RecordedEvent, atMs: number): Mark {
  const { position, id } = event
  return { position, id, checksum: eventChecksum(event), atMs }
}

/** From now on the folder knows of this end; what stood on other positions is made anew. Throws an `Error` that names a file. */
export function rememberEnd(folder: DataFolder, mark: Mark | undefined): void {
  removeViews(folder.path)
  if (existsSync(folder.keys)) tellKeys(folder.keys, mark)
  if (mark) bearWitness(folder.logWitness, mark)
}

function tellKeys(file: string, mark: Mark | undefined): void {
  const database = openDatabase({ file, synchronous: 'FULL', secureDelete: true })
  try {
    ensureSchema(database, { file, version: keyVersion, sql: keySchema, upgrades: keyUpgrades })
    seeLog(database, mark)
  } finally {
    database.close()
  }
}
