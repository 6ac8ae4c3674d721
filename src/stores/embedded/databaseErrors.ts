/** Maps errors of SQLite and of files to failures and operator advice. */

import { Failure } from '../../domain/failure.ts'
import { describeFileFault, type FileFault, findFileFault } from '../../domain/fileFaults.ts'

/** The end of a start that names the file and the next step: said once, whoever passes it on. */
class FileRefusal extends Error {}

/** Whether an error, or its cause, means that the file is damaged or no database. */
export function isDamage(error: unknown): boolean {
  return hasFault(error, 'corrupt')
}

export function hasFault(error: unknown, fault: FileFault): boolean {
  return error instanceof Error && (findFileFault(error) === fault || hasFault(error.cause, fault))
}

/**
 * The error that ends a start: names the file and has advice. For the operator, never for a caller. An error that
 * already names a file is returned as it is.
 */
export function explainOpenError(error: unknown, file: string): Error {
  if (error instanceof FileRefusal) return error
  const origin = innermost(error)
  const fault = findFileFault(origin)
  return fileError(file, fault ? describeFileFault(fault) : origin.message, error)
}

/** The same of an error of SQLite or of a file; any other as it is. */
export function explainStoreFault(error: unknown, file: string): unknown {
  return findFileFault(error) === undefined ? error : explainOpenError(error, file)
}

/** Like `explainOpenError`, with problem and advice given by the caller: a sentence without its full stop. */
export function fileError(file: string, sentence: string, cause?: unknown): Error {
  return new FileRefusal(`Cannot use ${file}: ${sentence}.`, { cause })
}

/**
 * The error that ends a start, from any error of a store in use: its message for callers names neither file nor advice,
 * but its cause does.
 */
export function explainStartError(error: unknown): unknown {
  return error instanceof Failure && error.cause instanceof Error ? error.cause : error
}

/** What a caller may see stands outside; what an operator needs is the first cause. */
function innermost(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  return error.cause instanceof Error ? innermost(error.cause) : error
}

/** The failure a caller gets when a store cannot answer; `what` is a noun phrase such as "event log". */
export function storeUnavailable(what: string, error?: unknown): Failure {
  return new Failure('unavailable', `The ${what} cannot be used right now; try again.`, {
    retryAfterSeconds: 1,
    ...(error === undefined ? {} : { cause: error }),
  })
}

interface Guarded {
  /** What a caller knows it as: "key store". */
  readonly store: string
  readonly file: string
  /** What the operator is to do when the file is damaged. */
  readonly advice: string
  readonly onDamage?: () => void
}

/**
 * Makes a synchronous function of a store answer by promise, with the failures of SQLite and of its files as the ports
 * name them.
 */
export function mapStoreErrors({ store, file, advice, onDamage }: Guarded) {
  return <Args extends readonly unknown[], Result>(work: (...args: Args) => Result) =>
    async (...args: Args): Promise<Result> => {
      try {
        return work(...args)
      } catch (error) {
        // what was written can be parsed
        if (error instanceof SyntaxError || isDamage(error)) {
          onDamage?.()
          const message = `The ${store} is damaged; its owner must restore it.`
          const cause = fileError(file, `the file is damaged; ${advice}`, error)
          throw new Failure('unavailable', message, { isDamage: true, cause })
        }
        if (!isStoreError(error)) throw error
        throw storeUnavailable(store, explainOpenError(error, file))
      }
    }
}

function isStoreError(error: unknown): boolean {
  const isOfSqlite = error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR'
  return isOfSqlite || error instanceof FileRefusal || findFileFault(error) !== undefined
}
