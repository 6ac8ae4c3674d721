/** What the other files of a data folder prove of the log: how far it had come when they were last written. */

import { existsSync } from 'node:fs'
import { isDamage } from './databaseTrouble.ts'
import type { DataFolder } from './dataFolder.ts'
import { type Database, openDatabase } from './sqlite.ts'
import { readWitnessFile } from './witnessFile.ts'

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
  return [...ofWitnessFile(folder.logWitness), ...ofViews(folder.views)]
}

function ofWitnessFile(file: string): readonly LogWitness[] {
  const mark = readWitnessFile(file)
  return mark === undefined || mark === 'damaged' ? [] : [{ by: 'log.witness', ...mark }]
}

/** The read models know of every projection which event it handled last. */
function ofViews(file: string): readonly LogWitness[] {
  return inDatabase(file, 'checkpoints', (database) =>
    database
      .prepare('SELECT DISTINCT position, witness FROM checkpoints WHERE witness IS NOT NULL')
      .all()
      .flatMap(({ position, witness }) => {
        const id = idIn(String(witness))
        return id === undefined ? [] : [{ by: 'views.db', position: Number(position), id }]
      }),
  )
}

/** The id of an event in a checkpoint; undefined when the text is damaged, which nothing else would notice. */
function idIn(witness: string): string | undefined {
  try {
    return (JSON.parse(witness) as { readonly id?: string }).id
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function inDatabase(
  file: string,
  table: string,
  read: (database: Database) => readonly LogWitness[],
): readonly LogWitness[] {
  if (!existsSync(file)) return []
  let database: Database | undefined
  try {
    database = openDatabase({ file, synchronous: 'NORMAL', readOnly: true })
    const found = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table)
    return found === undefined ? [] : read(database)
  } catch (error) {
    if (isDamage(error)) return []
    throw error
  } finally {
    database?.close()
  }
}
