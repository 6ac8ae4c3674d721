/** Maps errors of EventStoreDB and gRPC to failures: unavailable, denied, damaged. */

import { Failure } from '../../domain/failure.ts'

/** Codes of gRPC (https://grpc.io/docs/guides/status-codes/). */
const codes = { deadlineExceeded: 4, notFound: 5, permissionDenied: 7, unauthenticated: 16 }

/** The code of gRPC, whatever class the error has: the client throws plain errors with one, too. */
export function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'number' ? error.code : undefined
}

/** What the server calls the exception, such as `stream-deleted`. */
export function exceptionOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('metadata' in error)) return undefined
  const { metadata } = error as { readonly metadata?: { get?: (key: string) => unknown[] } }
  const [exception] = metadata?.get?.('exception') ?? []
  return exception === undefined ? undefined : String(exception)
}

/** The words of an error for an operator; the client leaves the message of some of its errors empty. */
export function wordsOfError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message === '' ? error.name : error.message
}

/** Whether the server knows the caller too little: trying again changes nothing. */
export function isDenied(error: unknown): boolean {
  const code = codeOf(error)
  return (
    code === codes.permissionDenied ||
    code === codes.unauthenticated ||
    exceptionOf(error) === 'access-denied'
  )
}

/** Whether the server does not know the user, or not by this password. */
export function isUnknownUser(error: unknown): boolean {
  return codeOf(error) === codes.unauthenticated
}

export function isTooLate(error: unknown): boolean {
  return codeOf(error) === codes.deadlineExceeded
}

/** The failure that callers get when the server is unreachable; its cause has the reason. */
export function unreachable(cause: unknown): Failure {
  const message = 'The event log is not available at the moment; try again.'
  return new Failure('unavailable', message, { retryAfterSeconds: 1, cause })
}

/** The failure of a log that is not what it was: the caller learns that, the operator (through the cause) where. */
export function damagedLog(where: string): Failure {
  return new Failure('unavailable', 'The event log is damaged; its owner must restore it.', {
    cause: new DamagedLogError(`the event log in EventStoreDB is damaged: ${where}`),
  })
}

class DamagedLogError extends Error {}

/** Whether a failure is one that asking again does not mend. */
export function isDamagedLog(error: unknown): boolean {
  return error instanceof Failure && error.cause instanceof DamagedLogError
}

export function closedLog(): Failure {
  return unreachable(new Error('the event log is closed'))
}
