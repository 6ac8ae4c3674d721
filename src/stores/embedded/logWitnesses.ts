/** What the other files of a data folder prove of the log: how far it had come when they were last written. */

import type { DataFolder } from './dataFolder.ts'
import { hasTable, type Row, readDatabase } from './sqlite.ts'
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
