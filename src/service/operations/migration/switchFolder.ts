/**
 * Has a data folder go on with what servers keep from now on. Positions of the log are others there: whatever remembers one is made anew.
 * Interrupted at any point the folder does not start on half of it before it is done again.
 */

import { renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { isoTime } from '../../../domain/isoTime.ts'
import { fileRefusal } from '../../../stores/embedded/databaseTrouble.ts'
import { syncPath } from '../../../stores/embedded/durableFile.ts'
import { noteKeysElsewhere } from '../../../stores/embedded/keysElsewhere.ts'
import { noteLogElsewhere } from '../../../stores/embedded/logElsewhere.ts'
import { openKeptKeys } from '../../../stores/embedded/openKeptKeys.ts'
import { removeViews } from '../../../stores/embedded/readStoreFile.ts'
import { openDatabase } from '../../../stores/embedded/sqlite.ts'
import type { Mark } from '../../../stores/embedded/witnessFile.ts'
import { markOf, rememberEnd } from '../rememberEnd.ts'
import type { Agreement } from './compareStores.ts'
import type { Migration } from './migrateFolder.ts'
import { whileAway } from './whileAway.ts'

/** Where the files of the folder are kept from then on; empty of what was not moved. */
interface MovedTo {
  readonly log: string
  readonly keys: string
}

/** `log` is what the EventStoreDB has of it, undefined when it stays. Throws an `Error` that names the file that cannot be changed. */
export async function switchFolder(
  { folder, moves, mongo, options }: Migration,
  log: Agreement | undefined,
): Promise<MovedTo> {
  const nowMs = options.clock.nowMs()
  const mark = log?.last && markOf(log.last, nowMs)
  const seen = log ? mark : await seenByKeys(folder.keys)
  if (log) noteLogElsewhere(folder)
  if (moves.keys) noteKeysElsewhere(folder)
  await whileAway(options, async () => mongo?.rememberEnd(seen))
  if (log) rememberEnd(folder, mark)
  else removeViews(folder.path)
  const suffix = `.moved-${isoTime(nowMs).replaceAll(/[-:.]/g, '')}`
  return {
    log: log ? setAside(folder.log, suffix) : '',
    keys: moves.keys ? setAside(folder.keys, suffix) : '',
  }
}

/** What they know of a log that stays where it is. */
async function seenByKeys(file: string): Promise<Mark | undefined> {
  const keys = openKeptKeys(file)
  try {
    return (await keys.about()).seenOfLog
  } finally {
    keys.close()
  }
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
  syncPath(dirname(file))
  return aside
}
