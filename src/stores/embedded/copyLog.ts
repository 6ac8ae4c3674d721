/** Copies the log of a folder that may be in use: nothing in it ever changes, so what it has at one time is copied a piece at a time. */

import { logDigest } from '../logDigest.ts'
import { openLogReader, walkLog } from './logReader.ts'
import { eventChecksum, type LogEnd, logPageBytes, logSchema, logVersion } from './logRows.ts'
import { type Database, ensureSchema, openDatabase, type Statement, transaction } from './sqlite.ts'

export interface LogCopyOptions {
  /** Files; the second is made. */
  readonly from: string
  readonly to: string
  readonly signal: AbortSignal
  /** Told how many positions of how many were passed. */
  readonly onProgress: (done: number, of: number) => void
}

export interface LogCopy extends LogEnd {
  readonly events: number
  /** See `logDigest`. */
  readonly digest: string
}

/**
 * Copies the events that are there when it begins, each checked as it is read, and the positions that are lost. The copy is one closed
 * file. Throws an `Error` that names the file, or `Failure` `unavailable` for an event that cannot be read.
 */
export async function copyLog(options: LogCopyOptions): Promise<LogCopy> {
  const { from, to } = options
  const reader = openLogReader(from)
  try {
    const copy = openDatabase({ file: to, synchronous: 'NORMAL', pageBytes: logPageBytes })
    try {
      ensureSchema(copy, { file: to, version: logVersion, sql: logSchema })
      copyLostPositions(from, copy)
      const copied = await copyEvents(options, reader, copy)
      becomeOneFile(copy)
      return copied
    } finally {
      copy.close()
    }
  } finally {
    reader.close()
  }
}

type Reader = ReturnType<typeof openLogReader>

async function copyEvents(
  { signal, onProgress }: LogCopyOptions,
  reader: Reader,
  copy: Database,
): Promise<LogCopy> {
  const digest = logDigest()
  const insert = insertStatement(copy)
  const last: LogEnd = { position: 0, id: '', checksum: 0 }
  const end = reader.head()
  for await (const batch of walkLog(reader, { end, signal })) {
    transaction(copy, () => {
      for (const event of batch) {
        const { position, stream, revision, id, type, data, metadata } = event
        const checksum = eventChecksum(event)
        insert.run(position, stream, revision, id, type, data, metadata, checksum)
        digest.add(event)
        Object.assign(last, { position, id, checksum })
      }
    })
    onProgress(last.position, end)
  }
  return { ...last, events: digest.events(), digest: digest.hex() }
}

function insertStatement(copy: Database): Statement {
  return copy.prepare(
    `INSERT INTO events (position, stream, revision, id, type, data, metadata, checksum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
}

/** They are only ever written while nobody has the log open. */
function copyLostPositions(from: string, copy: Database): void {
  const log = openDatabase({ file: from, synchronous: 'FULL', readOnly: true })
  try {
    const insert = copy.prepare('INSERT INTO lost_positions (first, last) VALUES (?, ?)')
    for (const { first, last } of log.prepare('SELECT first, last FROM lost_positions').all()) {
      insert.run(Number(first), Number(last))
    }
  } finally {
    log.close()
  }
}

/** Without a write-ahead log beside it, so that it can be moved, and read where nothing may be written. */
export function becomeOneFile(database: Database): void {
  database.prepare('PRAGMA journal_mode = DELETE').get()
}
