/** Classifies EventStoreDB and gRPC errors, and creates the failures that callers get. */

import { Failure } from '../../domain/failure.ts'

/** Codes of gRPC (https://grpc.io/docs/guides/status-codes/). */
export const grpcCodes = {
  unknown: 2,
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
export function serverExceptionName(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('metadata' in error)) return undefined
  const { metadata } = error as { readonly metadata?: { get?: (key: string) => unknown[] } }
  const [exception] = metadata?.get?.('exception') ?? []
  return exception === undefined ? undefined : String(exception)
}

export function rootCauseOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootCauseOf(error.cause) : error
}

/** The text of the first cause, for an operator; the client leaves the message of some of its errors empty. */
export function eventStoreErrorText(error: unknown): string {
  const cause = rootCauseOf(error)
  if (!(cause instanceof Error)) return String(cause)
  return cause.message === '' ? cause.name : cause.message
}

/** Whether the server denies access: another attempt changes nothing. */
export function isAccessDenied(error: unknown): boolean {
  const code = grpcCodeOf(error)
  return (
    code === grpcCodes.permissionDenied ||
    code === grpcCodes.unauthenticated ||
    serverExceptionName(error) === 'access-denied'
  )
}

/** Whether no record begins at the position asked for: reads and subscriptions are told so in different ways. */
export function isInvalidPosition(error: unknown): boolean {
  const code = grpcCodeOf(error)
  return (
    code === grpcCodes.invalidArgument ||
    (code === grpcCodes.unknown && eventStoreErrorText(error).includes('InvalidPosition'))
  )
}

/** The failure that callers get when the server is unreachable; its cause has the reason. */
export function logUnavailableFailure(cause: unknown): Failure {
  const message = 'The event log is not available at the moment; try again.'
  return new Failure('unavailable', message, { retryAfterSeconds: 1, cause })
}

/** The failure of a damaged or exchanged log; its cause tells the operator where. */
export function logDamagedFailure(where: string): Failure {
  return new Failure('unavailable', 'The event log is damaged; its owner must restore it.', {
    isDamage: true,
    cause: new Error(`the event log in EventStoreDB is damaged: ${where}`),
  })
}

/** Whether it is a failure of `damagedLog`, which another attempt does not fix. */
export function isDamagedLog(error: unknown): boolean {
  return error instanceof Failure && error.isDamage
}

/** The failure of a call after the store was closed. */
export function logClosedFailure(): Failure {
  return logUnavailableFailure(new Error('the event log is closed'))
}
