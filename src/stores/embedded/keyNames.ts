/** Which keys a file of sealing keys knows, without their secrets. */

import type { KeyCount } from '../keptKeys.ts'
import { countKeys } from './openKeptKeys.ts'
import { hasTable, openDatabase } from './sqlite.ts'

export interface KeyNames {
  /** Whether the key is there, or on record as destroyed. */
  readonly isKnown: (id: string) => boolean
  readonly count: () => KeyCount
  readonly close: () => void
}

/** Opens the file for reading. Throws an `Error` that names it. */
export function openKeyNames(file: string): KeyNames {
  const database = openDatabase({ file, synchronous: 'NORMAL', readOnly: true })
  const select = database.prepare(
    hasTable(database, 'destroyed')
      ? 'SELECT 1 FROM keys WHERE id = ?1 UNION ALL SELECT 1 FROM destroyed WHERE id = ?1'
      : 'SELECT 1 FROM keys WHERE id = ?1',
  )
  return {
    isKnown: (id) => select.get(id) !== undefined,
    count: () => countKeys(database),
    close: () => database.close(),
  }
}
