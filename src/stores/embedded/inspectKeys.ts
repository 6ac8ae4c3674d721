/** Looks at the sealing keys without changing a byte of them: what is missing of them, by the word of the log and of their witness. */

import { existsSync, statSync } from 'node:fs'
import { isoTime } from '../../domain/isoTime.ts'
import type { KeyLossReason } from '../../events/operations/loss.ts'
import { masterKeyProof } from '../keyWrapping.ts'
import { isDamage, openRefusal } from './databaseTrouble.ts'
import type { DataFolder } from './dataFolder.ts'
import { lastChange } from './keyStore.ts'
import { type Database, hasTable, openDatabase } from './sqlite.ts'
import { readWitnessFile } from './witnessFile.ts'

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
