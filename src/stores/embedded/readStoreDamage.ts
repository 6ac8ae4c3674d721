/** What users of the read store are told when SQLite fails, and how a damage that one of them has met is known to all. */

import { Failure } from '../../domain/failure.ts'
import { fileRefusal, isDamage, openRefusal, unavailable } from './databaseTrouble.ts'
import { dataFolder } from './dataFolder.ts'
import { isMarkedDamaged, markDamaged, type ViewsOptions } from './readStoreFile.ts'

/** Makes a synchronous function answer by promise, with the failures of SQLite as the port names them. */
export function guarded(options: ViewsOptions) {
  return <Args extends readonly unknown[], Result>(work: (...args: Args) => Result) =>
    async (...args: Args): Promise<Result> => {
      try {
        return work(...args)
      } catch (error) {
        throw failureOf(error, options)
      }
    }
}

/** Throws the failure of a damaged file when any thread or process has met a damage since the start. */
export function refuseDamaged({ folder }: ViewsOptions): void {
  if (isMarkedDamaged(folder)) throw damaged(folder)
}

/** What is to be thrown for an error; a damaged file is marked, so that the next start makes it anew. */
function failureOf(error: unknown, { folder }: ViewsOptions): unknown {
  // what was written can be parsed
  const isBroken = error instanceof SyntaxError
  if (!isBroken && !isSqliteError(error)) return error
  if (!isBroken && !isDamage(error)) {
    return unavailable('read store', openRefusal(error, dataFolder(folder).views))
  }
  markDamaged(folder)
  return damaged(folder, error)
}

function damaged(folder: string, error?: unknown): Failure {
  const wayOn = 'nothing of the history is lost: restart Vigil, which builds it again from the log'
  const cause = fileRefusal(dataFolder(folder).views, `the file is damaged; ${wayOn}`, error)
  const message = 'The read store is damaged; it is built again when the service is restarted.'
  return new Failure('unavailable', message, { isDamage: true, cause })
}

function isSqliteError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR'
}
