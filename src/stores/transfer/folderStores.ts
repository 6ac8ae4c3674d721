/** The files of a data folder or a backup as what is copied from and to. */

import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DataFolder } from '../embedded/dataFolder.ts'
import { keySchema, keyVersion } from '../embedded/keyStore.ts'
import { openLogReader } from '../embedded/logReader.ts'
import { endOf, eventChecksum, logPageBytes, logSchema, logVersion } from '../embedded/logRows.ts'
import { keptKeysIn, openKeptKeys } from '../embedded/openKeptKeys.ts'
import {
  type Database,
  ensureSchema,
  openDatabase,
  type Row,
  transaction,
} from '../embedded/sqlite.ts'
import type { RecordedEvent } from '../eventStore.ts'
import type { KeptKey } from '../keptKeys.ts'
import type { TransferSource, TransferTarget } from './copyStores.ts'

/** What was put that was not there, and destroyed that was. */
export interface MergedKeys {
  readonly added: number
  readonly destroyed: number
}

export interface FolderTarget extends TransferTarget {
  /** Since the last time it was asked. */
  readonly takeMerged: () => MergedKeys
}

type Files = Pick<DataFolder, 'log' | 'keys'>

/** Reads the files, a piece at a time, whether a service uses them or not. Throws an `Error` that names the one that cannot be read. */
export async function fromFolder<Result>(
  files: Files,
  work: (source: TransferSource) => Promise<Result>,
): Promise<Result> {
  const log = openLogReader(files.log)
  try {
    const keys = openKeptKeys(files.keys)
    return await work({ log, keys }).finally(keys.close)
  } finally {
    log.close()
  }
}

/**
 * Writes the files, made when they are missing; each is one closed file afterwards, so that it can be moved, and read where nothing may be
 * written. Throws an `Error` that names the one that cannot be written.
 */
export async function toFolder<Result>(
  files: Files,
  work: (target: FolderTarget) => Promise<Result>,
): Promise<Result> {
  const log = openDatabase({ file: files.log, synchronous: 'NORMAL', pageBytes: logPageBytes })
  const keys = openDatabase({ file: files.keys, synchronous: 'NORMAL', secureDelete: true })
  try {
    ensureSchema(log, { file: files.log, version: logVersion, sql: logSchema })
    ensureSchema(keys, { file: files.keys, version: keyVersion, sql: keySchema })
    const result = await work({
      name: dirname(files.log),
      log: logTarget(log),
      ...keyTarget(keys, files.keys),
    })
    for (const database of [log, keys]) database.prepare('PRAGMA journal_mode = DELETE').get()
    return result
  } finally {
    log.close()
    keys.close()
  }
}

/** Every event keeps its position: those between are lost, and accepted as lost. */
function logTarget(database: Database): TransferTarget['log'] {
  const lose = database.prepare('INSERT INTO lost_positions (first, last) VALUES (?, ?)')
  const insert = database.prepare(
    `INSERT INTO events (position, stream, revision, id, type, data, metadata, checksum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  let end = endOf(database).position
  const append = (event: RecordedEvent): void => {
    const { position, stream, revision, id, type, data, metadata } = event
    if (position > end + 1) lose.run(end + 1, position - 1)
    insert.run(position, stream, revision, id, type, data, metadata, eventChecksum(event))
    end = position
  }
  const columns = 'position, stream, revision, id, type, data, metadata'
  const next = database.prepare(
    `SELECT ${columns} FROM events WHERE position > ? ORDER BY position LIMIT 500`,
  )
  const last = database.prepare(`SELECT ${columns} FROM events ORDER BY position DESC LIMIT 1`)
  return {
    append: async (events) => transaction(database, () => events.forEach(append)),
    after: async (position) => next.all(position).map(eventOf),
    last: async () => last.all().map(eventOf)[0],
  }
}

function eventOf(row: Row): RecordedEvent {
  const { position, revision, ...texts } = row
  return {
    ...(texts as unknown as RecordedEvent),
    position: Number(position),
    revision: Number(revision),
  }
}

function keyTarget(database: Database, file: string): Pick<FolderTarget, 'keys' | 'takeMerged'> {
  const { after, proof } = keptKeysIn(database, file)
  const add = database.prepare(
    `INSERT INTO keys (id, wrapped) SELECT ?1, ?2
     WHERE NOT EXISTS (SELECT 1 FROM destroyed WHERE id = ?1) ON CONFLICT (id) DO NOTHING`,
  )
  const bury = database.prepare('INSERT OR IGNORE INTO destroyed (id, at) VALUES (?, ?)')
  const remove = database.prepare('DELETE FROM keys WHERE id = ?')
  const keep = database.prepare('INSERT OR IGNORE INTO master (one, proof) VALUES (1, ?)')
  let merged = { added: 0, destroyed: 0 }
  const put = (key: KeptKey): void => {
    if ('wrapped' in key) merged.added += Number(add.run(key.id, key.wrapped).changes)
    else {
      bury.run(key.id, key.destroyedAtMs)
      merged.destroyed += Number(remove.run(key.id).changes)
    }
  }
  return {
    keys: {
      after,
      proof,
      put: async (page) => transaction(database, () => page.forEach(put)),
      finish: async (given) => {
        keep.run(given)
        return proof()
      },
    },
    takeMerged: () => {
      const taken = merged
      merged = { added: 0, destroyed: 0 }
      return taken
    },
  }
}

export function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** Throws an `Error` when the disk of the folder has no room for what is to be made at the target. */
export function refuseWithoutRoom(folder: string, target: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize >= bytes) return
  const mib = (count: number): string => (count / 1024 / 1024).toFixed(1)
  throw new Error(
    `There is no room for ${target}: it takes about ${mib(bytes)} MiB, ${mib(bavail * bsize)} MiB are free.`,
  )
}
