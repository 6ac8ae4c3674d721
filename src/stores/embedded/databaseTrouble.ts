/** What an error of SQLite means to the people who run the service. */

import { Failure } from '../../domain/failure.ts'

export type Trouble = 'full' | 'io' | 'corrupt' | 'busy' | 'read_only' | 'cannot_open'

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html). */
const troubles: Readonly<Record<number, Trouble>> = {
  3: 'cannot_open',
  5: 'busy',
  6: 'busy',
  8: 'read_only',
  10: 'io',
  11: 'corrupt',
  13: 'full',
  14: 'cannot_open',
  26: 'corrupt',
}

const sentences: Readonly<Record<Trouble, string>> = {
  full: 'the disk is full; make room',
  io: 'the disk failed to read or write; check it before starting again',
  corrupt: 'the file is damaged or not a database; nothing was changed, restore it from a backup',
  busy: 'another process is using the file; stop it first',
  read_only: 'the file or its folder is read-only; make both writable',
  cannot_open:
    'the file cannot be opened; check that its folder exists and who may read and write it',
}

/** The trouble behind an error of SQLite; undefined for a broken rule of a table and for any other error. */
export function troubleOf(error: unknown): Trouble | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  const { errcode } = error
  // The low byte is the primary code; the rest only refines it.
  return typeof errcode === 'number' ? troubles[errcode & 0xff] : undefined
}

/** The error to end a start with: names the file and what to do. For the operator, never for a caller. */
export function openRefusal(error: unknown, file: string): Error {
  const origin = innermost(error)
  const trouble = troubleOf(origin)
  return new Error(`Cannot use ${file}: ${trouble ? sentences[trouble] : origin.message}.`, {
    cause: error,
  })
}

/** What a caller may see stands outside; what an operator needs is the first cause. */
function innermost(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  return error.cause instanceof Error ? innermost(error.cause) : error
}

/** The failure a caller gets when a store cannot answer; `what` is a noun phrase such as "event log". */
export function unavailable(what: string, error?: unknown): Failure {
  return new Failure('unavailable', `The ${what} cannot be used right now; try again.`, {
    retryAfterSeconds: 1,
    ...(error === undefined ? {} : { cause: error }),
  })
}
