/** Questions to the read models that are asked again before anything of them has changed. */

import { type HeldByWeight, heldByWeight } from '../../domain/heldByWeight.ts'
import type { Collection, Find, StoredDocument } from '../readStore.ts'
import { tableOf } from './readStoreTables.ts'
import type { Database, SqlValue, Statement } from './sqlite.ts'

/** Characters of the documents and questions that are held. */
const charsMax = 1024 * 1024
/** Longer answers are read again each time: what asks for them goes on to the next part. */
const answerCharsMax = 64 * 1024

/** The documents of an answer, and how long its texts are. */
export interface FoundDocuments {
  readonly documents: readonly StoredDocument[]
  readonly chars: number
}

interface Question {
  readonly collection: Collection
  readonly find: Find
}

export interface FindCache {
  /** The documents that the question is for, as they are now; `read` asks for them. */
  readonly find: (question: Question, read: () => FoundDocuments) => readonly StoredDocument[]
}

/**
 * Holds answers until any connection, of this process or another, writes to the file: SQLite counts that. It does not count what its own
 * connection writes, so this is for one that only reads.
 */
export function openFindCache(database: Database): FindCache {
  const held: HeldByWeight<string, readonly StoredDocument[]> = heldByWeight(charsMax)
  const version: Statement = database.prepare('PRAGMA data_version')
  let heldOf: SqlValue | undefined

  return {
    find: ({ collection, find }, read) => {
      // asked before the documents: what is written in between makes the next question read again
      const now = version.get()?.['data_version']
      if (now === undefined || now !== heldOf) held.clear()
      heldOf = now
      const key = `${tableOf(collection)} ${JSON.stringify(find)}`
      const known = held.get(key)
      if (known) return known
      const { documents, chars } = read()
      if (chars <= answerCharsMax) held.set(key, documents, key.length + chars)
      return documents
    },
  }
}
