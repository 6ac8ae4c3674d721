/** What of a data folder is to be moved: what it keeps itself and a server is named for. */

import { existsSync, statSync } from 'node:fs'
import type { DataFolder } from '../../../stores/embedded/dataFolder.ts'
import { refuseKeysElsewhere } from '../../../stores/embedded/keysElsewhere.ts'
import { eventStoreUrlMistakes } from '../../../stores/eventStoreUrl.ts'
import type { MigrateOptions } from './migrateFolder.ts'

export interface Moves {
  /** The connection string of the server that gets the log; undefined when it stays where it is. */
  readonly log: string | undefined
  readonly keys: boolean
}

/** Throws an `Error` that says what to do when there is nothing to move, or a server is missing that the folder needs. */
export function movesOf(
  folder: DataFolder,
  { to, mongoDbUrl }: Pick<MigrateOptions, 'to' | 'mongoDbUrl'>,
): Moves {
  const [mistake] = to === undefined ? [] : eventStoreUrlMistakes(to)
  if (mistake !== undefined) throw new Error(`The connection string ${mistake}`)
  refuseWithoutLog(folder)
  // read models and keys there know the log
  if (mongoDbUrl === undefined) refuseKeysElsewhere(folder)
  const moves = {
    log: existsSync(folder.log) ? to : undefined,
    keys: mongoDbUrl !== undefined && bytesOf(folder.keys) > 0,
  }
  if (moves.log === undefined && !moves.keys) throw nothingToMove(folder)
  return moves
}

function refuseWithoutLog({ path, log, logElsewhere }: DataFolder): void {
  if (!existsSync(log) && !existsSync(logElsewhere)) {
    throw new Error(`There is no log of Vigil in ${path}.`)
  }
}

/** Of log and keys each, where they are already, or how to have them moved. */
function nothingToMove({ path, log, logElsewhere, keys, keysElsewhere }: DataFolder): Error {
  const sentences = [
    existsSync(logElsewhere) && `The log of ${path} is kept by an EventStoreDB already.`,
    existsSync(keysElsewhere) && `The sealing keys of ${path} are kept by a MongoDB already.`,
    existsSync(log) && `To move the log of ${path}, name the EventStoreDB: --to or EVENTSTORE_URL.`,
    bytesOf(keys) > 0 && `To move the sealing keys of ${path}, name the MongoDB: MONGODB_URL.`,
  ]
  return new Error(sentences.filter((sentence) => sentence !== false).join(' '))
}

function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
