/** Which change of the keys was the last one, also by the word of a file beside them. */

import type { Chance, Clock } from '../../domain/clock.ts'
import { uuidV7 } from '../../domain/uuid.ts'
import type { DataFolder } from './dataFolder.ts'
import { type Database, hasTable, transaction } from './sqlite.ts'
import { type Mark, openWitnessFile } from './witnessFile.ts'

export interface KeyHistory {
  /** To be called inside the transaction that changes the keys. */
  readonly note: () => void
  /** To be called after it: the witness file knows of the last change from then on. Throws what the disk says. */
  readonly tell: () => void
  readonly close: () => void
}

export interface KeyHistoryOptions {
  readonly folder: Pick<DataFolder, 'keyWitness'>
  readonly clock: Clock
  readonly chance: Chance
}

/** Opens the history in a database of the newest version, begins it in a new one, and has the witness know of it. Throws what the disk says. */
export function openKeyHistory(
  database: Database,
  { folder, clock, chance }: KeyHistoryOptions,
): KeyHistory {
  const change = database.prepare(
    `INSERT INTO history (one, changes, id, at) VALUES (1, 1, ?, ?)
     ON CONFLICT (one) DO UPDATE SET changes = changes + 1, id = excluded.id, at = excluded.at`,
  )
  const witness = openWitnessFile(folder.keyWitness)
  const history: KeyHistory = {
    note: () => {
      change.run(uuidV7(clock, chance), clock.nowMs())
    },
    tell: () => {
      const mark = lastChange(database)
      if (mark) witness.write(mark)
    },
    close: witness.close,
  }
  if (!lastChange(database)) transaction(database, history.note)
  history.tell()
  return history
}

/** The last change of the keys: its number is its position. Undefined before the first, and in a file of an older version. */
export function lastChange(database: Database): Mark | undefined {
  const [row] = hasTable(database, 'history')
    ? database.prepare('SELECT changes, id, at FROM history').all()
    : []
  if (!row) return undefined
  const { changes, id, at } = row
  return { position: Number(changes), id: String(id), checksum: 0, atMs: Number(at) }
}
