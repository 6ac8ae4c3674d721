/** Classifies EventStoreDB and gRPC errors, and creates the failures that callers get. */

import { Failure } from '../../domain/failure.ts'

/** Codes of gRPC (https://grpc.io/docs/guides/status-codes/). */
export const codes = {
  /** Of a position that no event has. */
  invalidArgument: 3,
  deadlineExceeded: 4,
  permissionDenied: 7,
  unauthenticated: 16,
}

/** The code of gRPC, whatever class the error has: the client also throws plain errors with one. */
export function grpcCodeOf(error: unknown): number | undefined {
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

/** The error itself, or one with the text of what was thrown. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/** The text of an error for an operator; the client leaves the message of some of its errors empty. */
export function eventStoreErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message === '' ? error.name : error.message
}

/** Whether the server denies access: another attempt changes nothing. */
export function isDenied(error: unknown): boolean {
  const code = grpcCodeOf(error)
  return (
    code === codes.permissionDenied ||
    code === codes.unauthenticated ||
    exceptionOf(error) === 'access-denied'
  )
}

/** Whether the server refuses the user name or the password. */
export function isUnknownUser(error: unknown): boolean {
  return grpcCodeOf(error) === codes.unauthenticated
}

/** The failure that callers get when the server is unreachable; its cause has the reason. */
export function eventLogUnavailable(cause: unknown): Failure {
  const message = 'The event log is not available at the moment; try again.'
  return new Failure('unavailable', message, { retryAfterSeconds: 1, cause })
}

/** The failure of a damaged or exchanged log; its cause tells the operator where. */
export function damagedLog(where: string): Failure {
  return new Failure('unavailable', 'The event log is damaged; its owner must restore it.', {
    cause: new DamagedLogError(`the event log in EventStoreDB is damaged: ${where}`),
  })
}

class DamagedLogError extends Error {}

/** Whether it is a failure of `damagedLog`, which another attempt does not fix. */
export function isDamagedLog(error: unknown): boolean {
  return error instanceof Failure && error.cause instanceof DamagedLogError
}

/** The failure of a call after the store was closed. */
export function closedLog(): Failure {
  return eventLogUnavailable(new Error('the event log is closed'))
}
