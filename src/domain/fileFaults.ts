/** Maps error codes of the system and of SQLite to what is wrong with a file, and the next step. */

import { getSystemErrorName } from 'node:util'

/**
 * How each fault is recognised, and what a person is told. `E…` are codes of the system; numbers are primary result
 * codes of SQLite (https://www.sqlite.org/rescode.html); texts are its messages, for an error without a number.
 */
const faults = {
  full: {
    signs: [13, 'database or disk is full', 'ENOSPC'],
    sentence: 'the disk is full; free some space',
  },
  quota: {
    signs: ['EDQUOT', 'EFBIG'],
    sentence: 'this user may write no more (quota, ulimit -f); free some space, or raise the limit',
  },
  io: {
    signs: [10, 'disk I/O error', 'EIO', 'ESTALE'],
    sentence:
      'the disk failed to read or write; see what the system says of it, and check it before starting again',
  },
  corrupt: {
    signs: [
      11,
      26,
      'database disk image is malformed',
      'file is not a database',
      'unsupported file format',
    ],
    sentence:
      'the file is damaged or not a database; nothing was changed, restore it from a backup',
  },
  busy: {
    signs: [5, 6, 'database is locked', 'database table is locked', 'EBUSY', 'ETXTBSY'],
    sentence: 'another process is using the file; stop it first',
  },
  read_only: {
    signs: [8, 'attempt to write a readonly database'],
    sentence: 'the file or its folder is read-only; make both writable',
  },
  read_only_system: {
    signs: ['EROFS'],
    sentence: 'its file system is mounted read-only; mount it writable, or name another path',
  },
  denied: {
    signs: [3, 'EACCES', 'EPERM'],
    sentence:
      'this user may not read or write it; give it to this user (chown, chmod), or run as its owner',
  },
  missing: {
    signs: ['ENOENT'],
    sentence: 'it is not there, nor can it be made; check its path and that its folder exists',
  },
  not_folder: {
    signs: ['ENOTDIR'],
    sentence: 'something in its path is no folder; check the path',
  },
  no_file: { signs: ['EISDIR'], sentence: 'it is no file; move it away' },
  exists: {
    signs: ['EEXIST', 'ENOTEMPTY'],
    sentence: 'something else is there already; move it away, or name another path',
  },
  link: {
    signs: ['ELOOP'],
    sentence: 'its symbolic links lead in a circle; mend them, or name another path',
  },
  name: { signs: ['ENAMETOOLONG'], sentence: 'its path is too long; name a shorter one' },
  too_many: {
    signs: ['EMFILE', 'ENFILE'],
    sentence: 'too many files are open; raise the limit (ulimit -n), or stop another process',
  },
  other_system: {
    signs: ['EXDEV'],
    sentence: 'it would have to move to another file system; name a path on the same one',
  },
  cannot_open: {
    signs: [14, 'unable to open database file'],
    sentence:
      'the file cannot be opened; check that its folder exists and who may read and write it',
  },
} as const

export type FileFault = keyof typeof faults

const faultsBySign: ReadonlyMap<unknown, FileFault> = new Map(
  Object.entries(faults).flatMap(([fault, { signs }]) =>
    signs.map((sign) => [sign, fault as FileFault] as const),
  ),
)

/** IOERR_SHMSIZE: there is no room for the -shm file to grow; nothing has been written yet. */
const noRoomForIndex = 10 | (19 << 8)

/** SQLite says of these only that the system refused; the system says why. */
const codesOfSystem: readonly unknown[] = [10, 14]

/**
 * What is wrong with the file of an error of SQLite or of the system; undefined for a violated constraint and for any
 * other error.
 */
export function findFileFault(error: unknown): FileFault | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, errcode, systemErrno } = error as NodeJS.ErrnoException & SqliteNumbers
  if (typeof errcode !== 'number') return faultsBySign.get(code) ?? faultsBySign.get(error.message)
  // the low byte is the primary code; the rest only refines it
  const primary = errcode & 0xff
  const refined =
    systemErrno && codesOfSystem.includes(primary)
      ? faultsBySign.get(getSystemErrorName(-systemErrno))
      : undefined
  if (refined !== undefined) return refined
  if (errcode === noRoomForIndex) return 'full'
  return faultsBySign.get(primary) ?? faultsBySign.get(error.message)
}

/**
 * Whether an error of a commit leaves the database as it was: a full disk or a busy file. After any other error, a
 * failed sync above all, what is on disk is unknown, also where the system says that there was no room.
 */
export function isPassingFault(error: unknown): boolean {
  const { errcode } = Object(error) as SqliteNumbers
  if (errcode !== undefined && (errcode & 0xff) === 10) return errcode === noRoomForIndex
  const fault = findFileFault(error)
  return fault === 'full' || fault === 'busy'
}

/** Whether the error, or its cause, says that the system could not write or read what it should have. */
export function isIoFault(error: unknown): boolean {
  const fault = findFileFault(error)
  if (fault !== undefined) return fault === 'full' || fault === 'quota' || fault === 'io'
  return error instanceof Error && isIoFault(error.cause)
}

interface SqliteNumbers {
  readonly errcode?: number
  /** Of the system; left from an earlier call unless the primary code speaks of the system. */
  readonly systemErrno?: number
}

/** What is wrong and what to do, without a full stop. */
export const describeFileFault = (fault: FileFault): string => faults[fault].sentence

/** One sentence for a system error that names a file; undefined for any other error. */
export function explainFileError(error: unknown): string | undefined {
  const fault = findFileFault(error)
  if (fault === undefined || !(error instanceof Error && 'path' in error)) return undefined
  return `Cannot use ${String(error.path)}: ${describeFileFault(fault)}.`
}
