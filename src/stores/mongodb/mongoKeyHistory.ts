/** Which change of the keys was the last one, and how far the log was at it: each store bears witness of the other. */

import type { Db } from 'mongodb'
import type { Chance, Clock } from '../../domain/clock.ts'
import { uuidV7 } from '../../domain/uuid.ts'
import { type Mark, openWitnessFile, readWitnessFile } from '../embedded/witnessFile.ts'
import { keyStoreCollection } from './masterKeyProof.ts'
import { guardedMongo, isDuplicate } from './mongoTrouble.ts'

export interface MongoKeyHistoryOptions {
  /** Files of the data folder: how far the log has come, and which change of the keys was the last that this instance made. */
  readonly witnesses: { readonly log: string; readonly keys: string }
  readonly clock: Clock
  readonly chance: Chance
}

interface MarkDocument extends Mark {
  readonly _id: 'changes' | 'log'
}

export interface MongoKeyHistory {
  /** To be called after a change of the keys. */
  readonly note: () => Promise<void>
  readonly close: () => void
}

/** Opens the history, and begins it in a new database. Throws what the driver and the disk throw. */
export async function mongoKeyHistory(
  database: Db,
  { witnesses, clock, chance }: MongoKeyHistoryOptions,
): Promise<MongoKeyHistory> {
  const marks = marksIn(database)
  const witness = openWitnessFile(witnesses.keys)
  const history: MongoKeyHistory = {
    note: async () => {
      const change = await marks.findOneAndUpdate(
        { _id: 'changes' },
        {
          $inc: { position: 1 },
          $set: { id: uuidV7(clock, chance), checksum: 0, atMs: clock.nowMs() },
        },
        { upsert: true, returnDocument: 'after' },
      )
      await seeLog(database, witnesses.log)
      if (change) witness.write(markOf(change))
    },
    close: witness.close,
  }
  try {
    const last = await lastKeyChange(database)
    if (last) witness.write(last)
    else await history.note()
    return history
  } catch (error) {
    witness.close()
    throw error
  }
}

/** The last change of the keys: its number is its position. Undefined before the first. */
export async function lastKeyChange(database: Db): Promise<Mark | undefined> {
  const found = await marksIn(database).findOne({ _id: 'changes' }, { readConcern: 'majority' })
  return found ? markOf(found) : undefined
}

/** Has this be the last change of the keys, unless they have seen a later one. */
export async function noteKeyChange(database: Db, mark: Mark): Promise<void> {
  await forward(database, 'changes', mark)
}

/** What the keys have seen of the log; undefined when they have seen nothing. */
export async function keysSeenOfLog(database: Db): Promise<Mark | undefined> {
  const found = await marksIn(database).findOne({ _id: 'log' }, { readConcern: 'majority' })
  return found ? markOf(found) : undefined
}

/** Has the keys know this of the log, in place of what they knew; nothing, when there is no mark. */
export const seeLogAnew = guardedMongo('key store')(
  async (database: Db, mark: Mark | undefined): Promise<void> => {
    if (mark) await marksIn(database).updateOne({ _id: 'log' }, { $set: mark }, { upsert: true })
    else await marksIn(database).deleteOne({ _id: 'log' })
  },
)

/** Instances see the log at different times: the farthest counts. */
async function seeLog(database: Db, file: string): Promise<void> {
  const mark = readWitnessFile(file)
  if (typeof mark !== 'object') return
  await forward(database, 'log', mark)
}

async function forward(database: Db, _id: MarkDocument['_id'], mark: Mark): Promise<void> {
  const older = { _id, position: { $lt: mark.position } } as const
  try {
    await marksIn(database).updateOne(older, { $set: mark }, { upsert: true })
  } catch (error) {
    if (!isDuplicate(error)) throw error
  }
}

function marksIn(database: Db) {
  return database.collection<MarkDocument>(keyStoreCollection, {
    writeConcern: { w: 'majority', j: true, wtimeoutMS: 5_000 },
  })
}

function markOf({ position, id, checksum, atMs }: MarkDocument): Mark {
  return { position, id, checksum, atMs }
}
