/** The sealing keys of a file, which a service may be using, as they are kept in it. */

import type { KeptKey, KeptKeys } from '../keptKeys.ts'
import { masterKeyProof } from '../keyWrapping.ts'
import { openRefusal, troubleOf } from './databaseTrouble.ts'
import { type KeyRow, keyRows } from './keyStore.ts'
import { type Database, openDatabase, type Row } from './sqlite.ts'

interface KeysOfFile extends KeptKeys {
  /** Those of these ids that there are. */
  readonly lookUp: (ids: readonly string[]) => Promise<ReadonlyMap<string, KeptKey>>
}

export interface OpenKeptKeys extends KeysOfFile {
  readonly close: () => void
}

const pageMax = 1_000

/** Opens the file for reading. Throws an `Error` that names it, as every function does. */
export function openKeptKeys(file: string): OpenKeptKeys {
  const database = openDatabase({ file, synchronous: 'FULL', readOnly: true })
  return { ...keptKeysIn(database, file), close: () => database.close() }
}

/** The same of a database that is open. */
export function keptKeysIn(database: Database, file: string): KeysOfFile {
  const select = database.prepare(pageSql)
  const rowsOf = keyRows(database)
  const answer = async <Answer>(work: () => Answer): Promise<Answer> => {
    try {
      return work()
    } catch (error) {
      throw troubleOf(error) === undefined ? error : openRefusal(error, file)
    }
  }
  return {
    after: (id) => answer(() => select.all(id, pageMax).map(keyOf)),
    lookUp: (ids) => answer(() => new Map(rowsOf(ids).map((row) => [row.id, keptKeyOf(row)]))),
    size: () => answer(() => countKeys(database)),
    proof: () => answer(() => proofIn(database)),
  }
}

function countKeys(database: Database): number {
  const sql = 'SELECT (SELECT count(*) FROM keys) + (SELECT count(*) FROM destroyed) AS n'
  return Number(database.prepare(sql).get()?.['n'])
}

/** Whether the keys in the file were made under this master key; also of a file without any. Throws an `Error` that names the file. */
export function isMasterKeyOf(file: string, masterKey: Uint8Array): boolean {
  const database = openDatabase({ file, synchronous: 'NORMAL', readOnly: true })
  try {
    const proof = proofIn(database)
    return proof === undefined || Buffer.from(masterKeyProof(masterKey)).equals(proof)
  } finally {
    database.close()
  }
}

function proofIn(database: Database): Uint8Array | undefined {
  const { proof } = database.prepare('SELECT proof FROM master').get() ?? {}
  return proof instanceof Uint8Array ? proof : undefined
}

/** What is on record as destroyed is destroyed, whatever else the file has. */
const pageSql = `
  SELECT id, wrapped, NULL AS at FROM keys
  WHERE id > ?1 AND NOT EXISTS (SELECT 1 FROM destroyed WHERE destroyed.id = keys.id)
  UNION ALL SELECT id, NULL, at FROM destroyed WHERE id > ?1
  ORDER BY id LIMIT ?2`

function keyOf({ id, wrapped, at }: Row): KeptKey {
  if (at !== null) return { id: String(id), destroyedAtMs: Number(at) }
  return { id: String(id), wrapped: wrapped instanceof Uint8Array ? wrapped : new Uint8Array() }
}

function keptKeyOf({ id, wrapped = new Uint8Array(), destroyedAtMs }: KeyRow): KeptKey {
  return destroyedAtMs === undefined ? { id, wrapped } : { id, destroyedAtMs }
}
