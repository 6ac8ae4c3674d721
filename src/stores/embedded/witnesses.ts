/**
 * What bears witness of log and keys. A small file beside them says how far each has come: written after every commit and before anybody is
 * answered, so that a store that ends earlier than its witness is known to have lost something. The read models know how far the log had come.
 */

import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { openRefusal } from './databaseTrouble.ts'
import type { DataFolder } from './dataFolder.ts'
import { hasTable, type Row, readDatabase } from './sqlite.ts'

/** A place in the history of a store. */
export interface Mark {
  readonly position: number
  /** What stands there: of the log the UUID of the event, and its checksum. */
  readonly id: string
  readonly checksum: number
  /** When it was written, in milliseconds since the Unix epoch. */
  readonly atMs: number
}

export interface WitnessFile {
  /** After this the mark outlives the process; after `syncEveryMs` a power cut too. Throws what the disk says. */
  readonly write: (mark: Mark) => void
  readonly close: () => void
}

export type Witnessed = 'log' | 'keys'

/** Where each has its mark, and where in it the copies of the mark begin: a sector of its own, so that one broken write does not tear both. */
const markAt = { log: 0, keys: 1024 } as const
const copyAt = [0, 512] as const
/** Checksum of the rest, position, time, checksum of the event, its id: binary, since every commit waits for it. */
const places = { position: 4, atMs: 12, checksum: 20, id: 24 } as const
const idBytes = 36
const copyBytes = places.id + idBytes
const markBytes = copyAt[1] + copyBytes
/** How much of what was written last a power cut may take from the witness: it spares every commit a sync of its own. */
const syncEveryMs = 1_000

/** Opens the witness of one for writing, and makes the file when it is missing; `toDisk` syncs another way only in tests. Throws what the disk says. */
export function openWitnessFile(file: string, of: Witnessed, toDisk = fdatasyncSync): WitnessFile {
  closeSync(openSync(file, 'a', 0o600))
  const handle = openSync(file, 'r+')
  let timer: NodeJS.Timeout | undefined
  let failed: unknown
  const sync = (): void => {
    timer = undefined
    try {
      toDisk(handle)
    } catch (error) {
      failed = error
    }
  }
  const write = recordWriter(handle, markAt[of])
  return {
    write: (mark) => {
      write(mark)
      timer ??= setTimeout(sync, syncEveryMs).unref()
      const error = failed
      failed = undefined
      if (error !== undefined) throw error
    },
    close: () => {
      clearTimeout(timer)
      if (timer !== undefined) sync()
      closeSync(handle)
    },
  }
}

/** The mark of one in a witness file; undefined when there is none, or no copy of it is whole. Throws an `Error` that names a file that cannot be read. */
export function readWitnessFile(file: string, of: Witnessed): Mark | undefined {
  if (!existsSync(file)) return undefined
  const bytes = bytesOf(file).subarray(markAt[of])
  return copyAt
    .map((at) => markIn(bytes.subarray(at, at + copyBytes)))
    .filter((mark) => mark !== undefined)
    .sort((one, other) => other.position - one.position)[0]
}

/** Has the witness know nothing of one any more: what stands there from now on is older. Throws an `Error` that names the file. */
export function forgetWitnessed(file: string, of: Witnessed): void {
  if (!existsSync(file)) return
  try {
    const handle = openSync(file, 'r+')
    writeSync(handle, Buffer.alloc(markBytes), 0, markBytes, markAt[of])
    fdatasyncSync(handle)
    closeSync(handle)
  } catch (error) {
    throw openRefusal(error, file)
  }
}

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw openRefusal(error, file)
  }
}

function recordWriter(handle: number, at: number): (mark: Mark) => void {
  const record = Buffer.alloc(markBytes)
  const guarded = record.subarray(places.position, copyBytes)
  return ({ position, id, checksum, atMs }) => {
    if (id.length !== idBytes) throw new Error(`a mark has an id of ${idBytes} characters`)
    record.writeDoubleLE(position, places.position)
    record.writeDoubleLE(atMs, places.atMs)
    record.writeUInt32LE(checksum, places.checksum)
    record.write(id, places.id, 'latin1')
    record.writeUInt32LE(crc32(guarded), 0)
    record.copyWithin(copyAt[1], 0, copyBytes)
    writeSync(handle, record, 0, markBytes, at)
  }
}

function markIn(copy: Buffer): Mark | undefined {
  if (copy.length < copyBytes || crc32(copy.subarray(places.position)) !== copy.readUInt32LE(0)) {
    return undefined
  }
  return {
    position: copy.readDoubleLE(places.position),
    id: copy.toString('latin1', places.id, copyBytes),
    checksum: copy.readUInt32LE(places.checksum),
    atMs: copy.readDoubleLE(places.atMs),
  }
}

/** An event that was in the log, by the word of another file. */
export interface LogWitness {
  /** The name of the file. */
  readonly by: string
  readonly position: number
  readonly id: string
  /** Unknown to some. */
  readonly checksum?: number
  readonly atMs?: number
}

/** Every witness that the folder has. One that is damaged says nothing; whoever opens that file says that. */
export function readLogWitnesses(folder: DataFolder): readonly LogWitness[] {
  return [...ofWitnessFile(folder.witness), ...ofViews(folder.views)]
}

/** Whether there are sealing keys, which nobody makes before there is a log. */
export function hasKeys(file: string): boolean {
  return (
    readDatabase(
      file,
      (database) =>
        hasTable(database, 'keys') &&
        database.prepare('SELECT 1 FROM keys LIMIT 1').get() !== undefined,
    ) ?? false
  )
}

function ofWitnessFile(file: string): readonly LogWitness[] {
  const mark = readWitnessFile(file, 'log')
  return mark ? [{ by: 'stores.witness', ...mark }] : []
}

/** The read models know of every projection which event it handled last. */
function ofViews(file: string): readonly LogWitness[] {
  const rows = readDatabase(file, (database) =>
    hasTable(database, 'checkpoints')
      ? database.prepare('SELECT * FROM checkpoints WHERE witness IS NOT NULL').all()
      : [],
  )
  // most are at the same event
  const places = new Map((rows ?? []).map((row) => [placeOf(row), row]))
  return [...places.values()].flatMap(({ position, witness }) => {
    const id = idIn(String(witness))
    return id === undefined ? [] : [{ by: 'views.db', position: Number(position), id }]
  })
}

const placeOf = ({ position, witness }: Row): string => `${position} ${witness}`

/** The id of an event in a checkpoint; undefined when the text is damaged, which nothing else would notice. */
function idIn(witness: string): string | undefined {
  try {
    return (JSON.parse(witness) as { readonly id?: string }).id
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
