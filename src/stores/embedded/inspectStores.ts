/** Looks at log and keys without changing a byte of them, so that what is damaged or shortened is refused before anything is written. */

import { existsSync, statSync } from 'node:fs'
import { isoTime } from '../../domain/isoTime.ts'
import type { KeyLossReason } from '../../events/operations/loss.ts'
import type { RecordedEvent } from '../eventStore.ts'
import { masterKeyProof } from '../keyWrapping.ts'
import { fileRefusal, isDamage, openRefusal } from './databaseTrouble.ts'
import type { DataFolder } from './dataFolder.ts'
import { lastChange } from './keyStore.ts'
import { batchMax, openLogReader } from './logReader.ts'
import { type LostPositions, logVersion, type PositionRange, readLostPositions } from './logRows.ts'
import { type Database, hasTable, openDatabase } from './sqlite.ts'
import { hasKeys, type LogWitness, readLogWitnesses, readWitnessFile } from './witnesses.ts'

/** How many of the last events are read and checked; the older ones are checked whenever they are read. */
const tailMax = 4 * batchMax

/**
 * Answers what the log has lost by the word of the other files of the folder and of others, or undefined. Throws an `Error` that names the file when
 * it is damaged; one of another version is left to `ensureSchema`. A damaged end of the write-ahead log SQLite leaves out in silence:
 * what remains was the whole history once, and only a witness knows better.
 */
export function inspectLog(
  folder: DataFolder,
  others: readonly LogWitness[] = [],
): LogLoss | undefined {
  const witnesses = [...readLogWitnesses(folder), ...others]
  try {
    const log = witnessedLog(folder.log, witnesses)
    if (log === noLog && witnesses.length === 0) return lossOfUnseen(folder)
    return logLossOf(log, witnesses)
  } catch (error) {
    throw isDamage(error)
      ? damaged('the file is damaged or not a database', folder.log, error)
      : openRefusal(error, folder.log)
  }
}

/** The log itself cannot be used: what to do with a backup, and without one. */
function damaged(what: string, file: string, cause?: unknown): Error {
  const wayOn =
    'nothing was changed; restore it from a backup; without one, move log.db, log.db-wal and log.db-shm to another folder and go on without all that was in them: vigil restore --accept-loss'
  return fileRefusal(file, `${what}; ${wayOn}`, cause)
}

const noLog: WitnessedLog = { kept: { position: 0 }, bearsOut: () => false }

/** What is missing of a log that is gone and that no witness has seen an event of. */
function lossOfUnseen({ keys, log }: DataFolder): LogLoss | undefined {
  if (hasKeys(keys)) return { kept: noLog.kept, provenBy: ['keys.db'] }
  if (sizeOf(log) === 0 && sizeOf(`${log}-wal`) > 0) {
    throw damaged('it is gone but its -wal file is there', log)
  }
  return undefined
}

function witnessedLog(file: string, witnesses: readonly LogWitness[]): WitnessedLog {
  if (sizeOf(file) === 0) return noLog
  const database = openDatabase({ file, synchronous: 'FULL', readOnly: true })
  try {
    const version = numberOf(database, 'PRAGMA user_version')
    if (version === 0 && isEmpty(database)) return noLog
    if (version !== logVersion) return { ...noLog, bearsOut: () => true }
    const lost = readLostPositions(database)
    checkSize(database, file)
    checkTail(database, file, lost)
    if (sizeOf(`${file}-wal`) > 0) checkIndex(database, file, lost)
    return comparable(database, lost, witnesses)
  } finally {
    database.close()
  }
}

/** Whether there is no table in it: SQLite makes such a database of a file that is missing. */
function isEmpty(database: Database): boolean {
  return numberOf(database, 'SELECT count(*) FROM sqlite_schema') === 0
}

/** The log never shrinks: pages beyond the end it knows of were written by commits that the write-ahead log has lost. */
function checkSize(database: Database, file: string): void {
  const pages = numberOf(database, 'PRAGMA page_count')
  if (sizeOf(file) > pages * numberOf(database, 'PRAGMA page_size')) {
    throw damaged('its -wal file lacks commits that were in it', file)
  }
}

function checkTail(database: Database, file: string, lost: LostPositions): void {
  const head = headOf(database)
  const first = numberOf(database, 'SELECT coalesce(min(position), 0) FROM events')
  if (head > 0 && first !== lost.next(0)) {
    throw damaged('its first events are missing', file)
  }
  const reader = openLogReader(file)
  const isFound = indexLook(database)
  try {
    const after = Math.max(0, head - tailMax)
    for (const event of reader.readAll({ after, limit: tailMax })) {
      if (!isFound(event)) {
        throw damaged(`its index is wrong at position ${event.position}`, file)
      }
    }
  } finally {
    reader.close()
  }
}

/**
 * Only after a crash, when pages of the file and of the write-ahead log come together for the first time: as many entries as
 * events, so that none points at an event that is lost. Reads the index alone, about 0.2 s for a million events.
 */
function checkIndex(database: Database, file: string, lost: LostPositions): void {
  const entries = numberOf(database, 'SELECT count(*) FROM events INDEXED BY events_of_stream')
  if (entries !== Math.max(0, headOf(database) - lost.count)) {
    throw damaged('its index and its events do not agree', file)
  }
}

/** What the log says to each of these witnesses, read while it is open. */
function comparable(
  database: Database,
  lost: LostPositions,
  witnesses: readonly LogWitness[],
): WitnessedLog {
  const select = database.prepare('SELECT id, checksum FROM events WHERE position = ?')
  const borneOut = new Set(
    witnesses.filter(({ position, id, checksum }) => {
      const [found] = select.all(position)
      if (!found) return lost.includes(position)
      return found['id'] === id && (checksum === undefined || found['checksum'] === checksum)
    }),
  )
  return { kept: keptOf(database), bearsOut: (witness) => borneOut.has(witness) }
}

function keptOf(database: Database): WitnessedLog['kept'] {
  const [last] = database
    .prepare('SELECT position, metadata FROM events ORDER BY position DESC LIMIT 1')
    .all()
  if (!last) return { position: 0 }
  const { time } = JSON.parse(String(last['metadata'])) as { readonly time?: unknown }
  return {
    position: Number(last['position']),
    ...(typeof time === 'number' && { atMs: time }),
  }
}

function headOf(database: Database): number {
  return numberOf(database, 'SELECT coalesce(max(position), 0) FROM events')
}

function numberOf(database: Database, sql: string): number {
  return Number(Object.values(database.prepare(sql).get() ?? {})[0])
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** Answers whether the index has the event where it stands; it has none where it cannot be read. Throws what else SQLite says. */
function indexLook(
  database: Database,
): (event: Pick<RecordedEvent, 'stream' | 'revision' | 'position'>) => boolean {
  const select = database.prepare(
    'SELECT position FROM events INDEXED BY events_of_stream WHERE stream = ? AND revision = ?',
  )
  return ({ stream, revision, position }) => {
    try {
      return select.get(stream, revision)?.['position'] === position
    } catch (error) {
      if (isDamage(error)) return false
      throw error
    }
  }
}

export interface LogLoss {
  /** Where the log ends, 0 without an event, and when its last event is of. */
  readonly kept: { readonly position: number; readonly atMs?: number }
  /** Positions whose events are gone; absent when nobody knows them, and when the log is longer, but another one. */
  readonly missing?: PositionRange
  /** Names of the files that prove it. */
  readonly provenBy: readonly string[]
  /** When the last of them saw the log. */
  readonly seenAtMs?: number
}

/** What there is to compare witnesses with. */
export interface WitnessedLog {
  readonly kept: LogLoss['kept']
  /** Whether the witness is right, or speaks of what was accepted as lost before. */
  readonly bearsOut: (witness: LogWitness) => boolean
}

/**
 * The loss that these witnesses prove, or none. One that speaks against an event before another that the log bears out is itself
 * damaged, or of another log: every event is guarded by its checksum, and none is missing before the end.
 */
export function logLossOf(
  { kept, bearsOut }: WitnessedLog,
  witnesses: readonly LogWitness[],
): LogLoss | undefined {
  const proven = Math.max(0, ...witnesses.filter(bearsOut).map(({ position }) => position))
  const against = witnesses.filter((witness) => witness.position > proven && !bearsOut(witness))
  if (against.length === 0) return undefined
  const last = Math.max(...against.map(({ position }) => position))
  const seenAtMs = Math.max(0, ...against.map(({ atMs = 0 }) => atMs))
  return {
    kept,
    ...(last > kept.position && { missing: { first: kept.position + 1, last } }),
    provenBy: [...new Set(against.map(({ by }) => by))],
    ...(seenAtMs > 0 && { seenAtMs }),
  }
}

/** The refusal of a start: what is missing, since when, and what to do. */
export function logLossRefusal(loss: LogLoss, file: string): Error {
  return new Error(`Cannot use ${file}: ${logLossText(loss)}. ${wayOn}`)
}

const wayOn =
  'Nothing was changed. Put back log.db as it was, together with its log.db-wal, or the newest backup; to go on without what is missing: vigil restore --accept-loss.'

/** What is missing, and since when. */
export function logLossText({ kept, missing, provenBy, seenAtMs }: LogLoss): string {
  const by = namesOf(provenBy)
  const end = kept.position === 0 ? 'it is empty or gone' : `it ends at position ${kept.position}`
  if (!missing) {
    return kept.position === 0
      ? `${end}, but ${by} was made beside it`
      : `it is not the log that ${by} saw: another event stands at its position`
  }
  return `${end}${dated(kept.atMs)}, but by ${by} it had come to position ${missing.last}${dated(seenAtMs)}: the events from position ${missing.first} on are missing`
}

function namesOf(files: readonly string[]): string {
  return new Intl.ListFormat('en').format(files)
}

function dated(ms: number | undefined): string {
  return ms === undefined ? '' : ` (${isoTime(ms)})`
}

export interface KeyLoss {
  readonly reason: KeyLossReason
  /** Whether the file is of no use: to go on, new keys are made in another one. */
  readonly useless: boolean
  /** A sentence without its end, that names the file. */
  readonly text: string
}

export interface KeysToInspect {
  /** The master key that the service would start with; undefined when there is none. */
  readonly masterKey: Uint8Array | undefined
  /** Whether the log has an event: then there were keys. */
  readonly logInUse: boolean
  /** Ids of keys that the log names: those that its last events are sealed under, and the one that it is bound to. */
  readonly named: readonly string[]
}

/** The first loss found, or undefined. Throws an `Error` that names the file when it cannot be read at all. */
export function inspectKeys(folder: DataFolder, expected: KeysToInspect): KeyLoss | undefined {
  const { keys: file } = folder
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) {
    return lostWithout(folder, expected)
  }
  let database: Database | undefined
  try {
    database = openDatabase({ file, synchronous: 'FULL', readOnly: true })
    return structuralDamage(database, file) ?? lossIn(database, folder, expected)
  } catch (error) {
    if (!isDamage(error)) throw openRefusal(error, file)
    return damagedFile(file)
  } finally {
    database?.close()
  }
}

/**
 * Every page is looked at, which takes about 0.2 s for a million keys: a file that was cut would else be made whole again, with holes, out
 * of its write-ahead log, and a page that cannot be read would be noticed only when somebody needs a key on it.
 */
function structuralDamage(database: Database, file: string): KeyLoss | undefined {
  const { quick_check: found } = database.prepare('PRAGMA quick_check(1)').get() ?? {}
  return found === 'ok' ? undefined : damagedFile(file)
}

function damagedFile(file: string): KeyLoss {
  return {
    reason: 'damaged',
    useless: true,
    text: `${file}: the file is damaged or not a database`,
  }
}

/** Keys are made before the first event; a process killed at its first start has neither. */
function lostWithout(folder: DataFolder, { logInUse }: KeysToInspect): KeyLoss | undefined {
  if (!logInUse && !readWitnessFile(folder.witness, 'keys')) return undefined
  const { keys } = folder
  const how = existsSync(keys) ? 'empty' : 'gone'
  return {
    reason: 'gone',
    useless: false,
    text: `${keys}: it is ${how}, and with it the keys of all personal data in the log`,
  }
}

function lossIn(
  database: Database,
  folder: DataFolder,
  { masterKey, named }: KeysToInspect,
): KeyLoss | undefined {
  return (
    masterKeyLoss(database, folder, masterKey) ??
    olderCopy(database, folder) ??
    lackOf(database, folder.keys, named)
  )
}

function masterKeyLoss(
  database: Database,
  folder: DataFolder,
  masterKey: Uint8Array | undefined,
): KeyLoss | undefined {
  const [row] = hasTable(database, 'master')
    ? database.prepare('SELECT proof FROM master').all()
    : []
  if (!row) return undefined
  if (!masterKey) {
    const text = `${folder.masterKey}: it is gone, VIGIL_MASTER_KEY is not set, and the keys in keys.db were made under it`
    return { reason: 'no_master_key', useless: true, text }
  }
  const { proof } = row
  if (proof instanceof Uint8Array && Buffer.from(masterKeyProof(masterKey)).equals(proof)) {
    return undefined
  }
  const text = `${folder.keys}: its keys were made under another master key than this one (VIGIL_MASTER_KEY, else ${folder.masterKey})`
  return { reason: 'other_master_key', useless: true, text }
}

function olderCopy(database: Database, folder: DataFolder): KeyLoss | undefined {
  const witness = readWitnessFile(folder.witness, 'keys')
  if (!witness) return undefined
  const last = lastChange(database)
  const { position = 0, id } = last ?? {}
  if (position > witness.position || (position === witness.position && id === witness.id)) {
    return undefined
  }
  const since = last ? isoTime(last.atMs) : 'before it was counted'
  return {
    reason: 'older_copy',
    useless: false,
    text: `${folder.keys}: it is not the newest: its last change is of ${since}, but stores.witness knows of one of ${isoTime(witness.atMs)}`,
  }
}

function lackOf(database: Database, file: string, named: readonly string[]): KeyLoss | undefined {
  const known = hasTable(database, 'destroyed')
    ? 'SELECT 1 FROM keys WHERE id = ?1 UNION ALL SELECT 1 FROM destroyed WHERE id = ?1'
    : 'SELECT 1 FROM keys WHERE id = ?1'
  const select = database.prepare(known)
  const lacking = named.filter((id) => select.get(id) === undefined)
  if (lacking.length === 0) return undefined
  return {
    reason: 'lacks_keys',
    useless: false,
    text: `${file}: it lacks ${lacking.length} of the ${named.length} keys that the log names`,
  }
}
