/**
 * Copies sealing keys, wrapped as they are, into a new file, a page at a time, also while they are in use. To be begun when the log has been
 * copied: a key is stored before the first event that is sealed under it.
 */

import { type KeptKey, type KeptKeys, type KeyCount, walkKeys } from '../keptKeys.ts'
import { masterKeyProof } from '../keyWrapping.ts'
import { becomeOneFile, type LogCopyOptions } from './copyLog.ts'
import { keySchema, keyVersion } from './keyStore.ts'
import { countKeys } from './openKeptKeys.ts'
import { type Database, ensureSchema, openDatabase, transaction } from './sqlite.ts'

export interface KeyCopyOptions extends Omit<LogCopyOptions, 'from'> {
  readonly from: KeptKeys
}

/**
 * The copy is one closed file. It counts no change of the keys: a key that is destroyed meanwhile may be whole in it, so that it must never pass
 * for the keys after that. Throws an `Error` that names it, and what the store of the keys throws.
 */
export async function copyKeys(options: KeyCopyOptions): Promise<KeyCount> {
  const { from, to } = options
  const copy = openDatabase({ file: to, synchronous: 'NORMAL', secureDelete: true })
  try {
    ensureSchema(copy, { file: to, version: keyVersion, sql: keySchema })
    await copyRows(options, copy)
    // made with the first key, and never another one
    const proof = await from.proof()
    if (proof) copy.prepare('INSERT INTO master (one, proof) VALUES (1, ?)').run(proof)
    becomeOneFile(copy)
    return countKeys(copy)
  } finally {
    copy.close()
  }
}

async function copyRows(
  { from, signal, onProgress }: KeyCopyOptions,
  copy: Database,
): Promise<void> {
  const size = await from.size()
  const insert = copy.prepare('INSERT INTO keys (id, wrapped) VALUES (?, ?)')
  const bury = copy.prepare('INSERT INTO destroyed (id, at) VALUES (?, ?)')
  const write = (key: KeptKey) =>
    'wrapped' in key ? insert.run(key.id, key.wrapped) : bury.run(key.id, key.destroyedAtMs)
  let copied = 0
  for await (const page of walkKeys(from, signal)) {
    transaction(copy, () => {
      for (const key of page) write(key)
    })
    copied += page.length
    onProgress(copied, Math.max(copied, size))
  }
}

/** Whether the keys in the file were made under this master key; also of a file without any. Throws an `Error` that names the file. */
export function isMasterKeyOf(file: string, masterKey: Uint8Array): boolean {
  const database = openDatabase({ file, synchronous: 'NORMAL', readOnly: true })
  try {
    const proof = database.prepare('SELECT proof FROM master').all()[0]?.['proof']
    return proof === undefined || sameBytes(proof, masterKeyProof(masterKey))
  } finally {
    database.close()
  }
}

function sameBytes(one: unknown, other: Uint8Array): boolean {
  return one instanceof Uint8Array && Buffer.from(one).equals(other)
}
