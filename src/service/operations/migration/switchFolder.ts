/**
 * Has a data folder go on with what servers keep from now on. Interrupted at any point the folder does not start on half of it before the
 * same is done again.
 */

import { renameSync, rmSync } from 'node:fs'
import { isoTime } from '../../../domain/isoTime.ts'
import { fileRefusal } from '../../../stores/embedded/databaseTrouble.ts'
import type { DataFolder } from '../../../stores/embedded/dataFolder.ts'
import { syncPath } from '../../../stores/embedded/durableFile.ts'
import { noteServers } from '../../../stores/embedded/onServers.ts'
import { removeViews } from '../../../stores/embedded/readStoreFile.ts'
import { openDatabase } from '../../../stores/embedded/sqlite.ts'
import { isLogMoved } from './checkSource.ts'

/** Answers the names of the files from then on. Throws an `Error` that names the file that cannot be changed. */
export function switchFolder(folder: DataFolder, nowMs: number) {
  noteServers(folder)
  removeViews(folder.path)
  const suffix = `.moved-${isoTime(nowMs).replaceAll(/[-:.]/g, '')}`
  const log = isLogMoved(folder) ? '' : setAside(folder.log, suffix)
  const keys = setAside(folder.keys, suffix)
  rmSync(folder.witness, { force: true })
  syncPath(folder.path)
  return { log, keys }
}

/** All of it in the one file that is moved; an empty rest beside it is of no use to anybody. */
function setAside(file: string, suffix: string): string {
  const database = openDatabase({ file, synchronous: 'FULL' })
  const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {}
  database.close()
  if (busy !== 0) throw fileRefusal(file, 'another process is reading the file; stop it first')
  const aside = `${file}${suffix}`
  renameSync(file, aside)
  for (const beside of ['-wal', '-shm']) rmSync(`${file}${beside}`, { force: true })
  return aside
}
