/** The index of a log by itself, without the events that it leads to. */

import type { RecordedEvent } from '../eventStore.ts'
import { isDamage } from './databaseTrouble.ts'
import type { Database } from './sqlite.ts'

/** Answers whether the index has the event where it stands; it has none where it cannot be read. Throws what else SQLite says. */
export function indexLook(
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
