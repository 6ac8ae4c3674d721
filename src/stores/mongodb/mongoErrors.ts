/** Maps MongoDB errors to temporary or permanent failures, and limits the time of calls. */

import { BSON, MongoError, MongoInvalidArgumentError, MongoServerError } from 'mongodb'
import { Failure } from '../../domain/failure.ts'
import { withTimeout } from '../withTimeout.ts'

/** A document with this id exists. */
const duplicate = 11_000

/** Codes of documents that can never be stored. */
const permanent: ReadonlySet<number> = new Set([
  2, // BadValue
  9, // FailedToParse
  14, // TypeMismatch
  52, // DollarPrefixedFieldName
  57, // DottedFieldName
  10_334, // BSONObjectTooLarge
  17_419, // the document would grow too large
  17_420,
])

/** Known by its code alone: servers differ in the text. */
export function isDuplicate(error: unknown): boolean {
  return codeOf(error) === duplicate
}

/** Whether it is the code of a document that can never be stored. */
export function isPermanentCode(code: number | undefined): boolean {
  return code !== undefined && permanent.has(code)
}

/** The error for a document that can never be stored. */
export function permanentError(what: string, words: string): Error {
  return new Error(`MongoDB refuses what the ${what} sends: ${words}`)
}

/**
 * The error to throw for an error of the driver: a `Failure` `unavailable`, since the guards make every call
 * repeatable, unless waiting does not fix it. `what` is a noun phrase such as "read store". The driver's own error is
 * not passed on: it may contain what was sent.
 */
function mongoFailure(what: string, error: unknown): unknown {
  if (isOfNetwork(error)) return mongoUnavailable(what, error.message)
  if (!(error instanceof MongoError || error instanceof BSON.BSONError)) return error
  const isInvalid = error instanceof MongoInvalidArgumentError || error instanceof BSON.BSONError
  if (isInvalid || isPermanentCode(codeOf(error)))
    return permanentError(what, mongoErrorText(error))
  return mongoUnavailable(what, mongoErrorText(error))
}

/** Whether it is a socket's error: the driver passes some on unchanged, as of a connection that ends early. */
function isOfNetwork(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof MongoError) return false
  return (
    'code' in error && /^(?:E[A-Z0-9]+$|ERR_(?:STREAM|SOCKET|TLS|SSL)_)/.test(String(error.code))
  )
}

/** The failure a caller gets when MongoDB cannot answer; `words` are for the operator. */
export function mongoUnavailable(what: string, words: string): Failure {
  return new Failure('unavailable', `The ${what} cannot be used right now; try again.`, {
    retryAfterSeconds: 1,
    cause: new Error(`MongoDB: ${words}`),
  })
}

/** Time limits of a call, and of many one after another. */
const callMs = 10_000
export const callsMs = 30_000

/** Ends a call on the server as well. The driver's own `timeoutMS` does nothing in its version 7. */
export const callLimit = { maxTimeMS: callMs } as const

type Work<Args extends readonly unknown[], Result> = (...args: Args) => Promise<Result>
export type MapErrors = <Args extends readonly unknown[], Result>(
  work: Work<Args, Result>,
) => Work<Args, Result>

/**
 * Makes a function fail as the port named by `what` does, and in time: the driver never settles a command that it
 * writes just when the server has ended the connection.
 */
export function mapMongoErrors(what: string, withinMs = callMs): MapErrors {
  const late = () => mongoUnavailable(what, `no answer within ${withinMs} ms`)
  return (work) =>
    async (...args) => {
      try {
        return await withTimeout(work(...args), withinMs, late)
      } catch (error) {
        throw mongoFailure(what, error)
      }
    }
}

/** The driver's message, truncated; it names hosts and no passwords. */
export function mongoErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = codeOf(error)
  return `${error.message.slice(0, 300)}${code === undefined ? '' : ` (code ${code})`}`
}

function codeOf(error: unknown): number | undefined {
  return error instanceof MongoServerError && typeof error.code === 'number'
    ? error.code
    : undefined
}
