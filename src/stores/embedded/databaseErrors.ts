/** Classifies errors of SQLite and of files, and maps them to failures and operator advice. */

import { Failure } from '../../domain/failure.ts'

/**
 * By what each cause of an error is known, and what an operator is told. Numbers are primary result codes of SQLite
 * (https://www.sqlite.org/rescode.html); texts what it says for them, since a statement that fails while it runs gives no number; `E…` codes
 * of the system, of a file that is opened without SQLite.
 */
const faults = {
  full: {
    signs: [13, 'database or disk is full', 'EDQUOT', 'ENOSPC'],
    sentence: 'the disk is full; make room',
  },
  io: {
    signs: [10, 'disk I/O error', 'EIO'],
    sentence:
      'the disk failed to read or write; see what the system says of it, and check it before starting again',
  },
  corrupt: {
    signs: [
      ...[11, 26, 'database disk image is malformed', 'file is not a database'],
      'unsupported file format',
    ],
    sentence:
      'the file is damaged or not a database; nothing was changed, restore it from a backup',
  },
  busy: {
    signs: [5, 6, 'database is locked', 'database table is locked'],
    sentence: 'another process is using the file; stop it first',
  },
  read_only: {
    signs: [8, 'attempt to write a readonly database', 'EROFS'],
    sentence: 'the file or its folder is read-only; make both writable',
  },
  cannot_open: {
    signs: [
      ...[3, 14, 'unable to open database file'],
      ...['EACCES', 'ELOOP', 'ENOENT', 'ENOTDIR', 'EPERM'],
    ],
    sentence:
      'the file cannot be opened; check that its folder exists and who may read and write it, or name another folder with VIGIL_DATA',
  },
  no_file: { signs: ['EISDIR'], sentence: 'it is no file; move it away' },
} as const

export type StoreFault = keyof typeof faults

const faultsBySign: ReadonlyMap<unknown, StoreFault> = new Map(
  Object.entries(faults).flatMap(([fault, { signs }]) =>
    signs.map((sign) => [sign, fault as StoreFault] as const),
  ),
)

/** IOERR_SHMSIZE: there is no room for the -shm file to grow; nothing has been written yet. */
const noRoomForIndex = 10 | (19 << 8)

/** The end of a start that names the file and the next step: said once, whoever passes it on. */
class FileRefusal extends Error {}

/** The cause of an error of SQLite or of a file; undefined for a violated constraint and for any other error. */
export function classifyStoreFault(error: unknown): StoreFault | undefined {
  if (!(error instanceof Error)) return undefined
  if (!('errcode' in error) || typeof error.errcode !== 'number') {
    return faultsBySign.get('code' in error && error.code) ?? faultsBySign.get(error.message)
  }
  if (error.errcode === noRoomForIndex) return 'full'
  // The low byte is the primary code; the rest only refines it.
  return faultsBySign.get(error.errcode & 0xff) ?? faultsBySign.get(error.message)
}

/** Whether an error, or its cause, means that the file is damaged or no database. */
export function isDamage(error: unknown): boolean {
  return hasFault(error, 'corrupt')
}

export function hasFault(error: unknown, fault: StoreFault): boolean {
  return (
    error instanceof Error && (classifyStoreFault(error) === fault || hasFault(error.cause, fault))
  )
}

/**
 * The error that ends a start: names the file and has advice. For the operator, never for a caller. An error that already names a file is
 * returned as it is.
 */
export function explainOpenError(error: unknown, file: string): Error {
  if (error instanceof FileRefusal) return error
  const origin = innermost(error)
  const fault = classifyStoreFault(origin)
  return fileError(file, fault ? faults[fault].sentence : origin.message, error)
}

/** The same of an error of SQLite or of a file; any other as it is. */
export function explainStoreFault(error: unknown, file: string): unknown {
  return classifyStoreFault(error) === undefined ? error : explainOpenError(error, file)
}

/** Like `explainOpenError`, with problem and advice given by the caller: a sentence without its full stop. */
export function fileError(file: string, sentence: string, cause?: unknown): Error {
  return new FileRefusal(`Cannot use ${file}: ${sentence}.`, { cause })
}

/** The error that ends a start, from any error of a store in use: its message for callers names neither file nor advice, but its cause does. */
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

/** Makes a synchronous function of a store answer by promise, with the failures of SQLite and of its files as the ports name them. */
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
  return isOfSqlite || error instanceof FileRefusal || classifyStoreFault(error) !== undefined
}
