/**
 * Has a data folder go on with the log that a server keeps from now on. Positions are others there: whatever remembers one is made anew.
 * Interrupted at any point the folder starts with neither log before it is done again.
 */

import { renameSync, rmSync } from 'node:fs'
import { isoTime } from '../../../domain/isoTime.ts'
import { fileRefusal } from '../../../stores/embedded/databaseTrouble.ts'
import type { DataFolder } from '../../../stores/embedded/dataFolder.ts'
import { syncPath } from '../../../stores/embedded/durableFile.ts'
import { noteLogElsewhere } from '../../../stores/embedded/logElsewhere.ts'
import { openDatabase } from '../../../stores/embedded/sqlite.ts'
import type { RecordedEvent } from '../../../stores/eventStore.ts'
import { markOf, rememberEnd } from '../rememberEnd.ts'

/** Answers where the log of the folder is kept from then on. Throws an `Error` that names the file that cannot be changed. */
export function switchFolder(
  folder: DataFolder,
  last: RecordedEvent | undefined,
  nowMs: number,
): string {
  noteLogElsewhere(folder)
  rememberEnd(folder, last && markOf(last, nowMs))
  return setLogAside(folder, nowMs)
}

/** All of it in the one file that is moved; an empty rest beside it is of no use to anybody. */
function setLogAside({ path, log }: DataFolder, nowMs: number): string {
  const database = openDatabase({ file: log, synchronous: 'FULL' })
  const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {}
  database.close()
  if (busy !== 0) throw fileRefusal(log, 'another process is reading the file; stop it first')
  const aside = `${log}.moved-${isoTime(nowMs).replaceAll(/[-:.]/g, '')}`
  renameSync(log, aside)
  for (const beside of ['-wal', '-shm']) rmSync(`${log}${beside}`, { force: true })
  syncPath(path)
  return aside
}
