/** Keeps a second process away from the data folder. */

import { fileRefusal, isDamage, openRefusal, troubleOf } from './databaseTrouble.ts'
import type { DataFolder } from './dataFolder.ts'
import { type Database, openDatabase } from './sqlite.ts'

/**
 * Takes the folder for this process and answers how to let go. The lock is SQLite's own on a file that holds nothing, so the
 * operating system releases it however the process ends. Throws an `Error` that says what to do when another process has it.
 */
export function lockFolder(folder: DataFolder): () => void {
  const database = openLock(folder)
  try {
    database.exec('PRAGMA busy_timeout = 0')
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    throw troubleOf(error) === 'busy' ? inUse(folder, error) : openRefusal(error, folder.lock)
  }
  return () => {
    // Said aloud, because closing alone lets go only after the garbage collector has found every statement.
    database.exec('ROLLBACK')
    database.close()
  }
}

function openLock({ lock }: DataFolder): Database {
  try {
    return openDatabase({ file: lock, synchronous: 'NORMAL' })
  } catch (error) {
    if (!isDamage(error)) throw error
    throw fileRefusal(lock, 'it is damaged; it holds nothing, so delete it', error)
  }
}

function inUse(folder: DataFolder, cause: unknown): Error {
  return new Error(
    `Cannot use ${folder.path}: another process is using it. Stop that one first, or name another folder.`,
    { cause },
  )
}
