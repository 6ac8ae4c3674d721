/** Maps errors of MongoDB to failures: retry or fault. */

import { BSON, MongoError, MongoInvalidArgumentError, MongoServerError } from 'mongodb'
import { Failure } from '../../domain/failure.ts'

/** A document with this id, or this value of a unique index, is there already. */
const duplicate = 11_000

/** Answers that stay the same however often it is asked: what was sent cannot be stored. */
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

/** Known by its code alone: servers differ in the words. */
export function isDuplicate(error: unknown): boolean {
  return codeOf(error) === duplicate
}

/** Whether what was sent can never be stored, whoever is asked. */
function isPermanent(error: unknown): boolean {
  if (error instanceof MongoInvalidArgumentError || error instanceof BSON.BSONError) return true
  return isPermanentCode(codeOf(error))
}

/** Whether it is the answer to what can never be stored. */
export function isPermanentCode(code: number | undefined): boolean {
  return code !== undefined && permanent.has(code)
}

/** The error of what can never be stored. */
export function refusedForGood(what: string, words: string): Error {
  return new Error(`MongoDB refuses what the ${what} sends: ${words}`)
}

/**
 * What is to be thrown for an error of the driver: a `Failure` `unavailable`, since the guards make every call right again, unless time does
 * not mend it. `what` is a noun phrase such as "read store". The driver's own error goes no further: it may carry what was sent.
 */
function mongoFailure(what: string, error: unknown): unknown {
  if (isOfNetwork(error)) return mongoUnavailable(what, error.message)
  if (!(error instanceof MongoError || error instanceof BSON.BSONError)) return error
  if (isPermanent(error)) return refusedForGood(what, wordsOf(error))
  return mongoUnavailable(what, wordsOf(error))
}

/** Whether it comes from a socket: the driver passes some on as they are, such as of a connection that ends while it is made. */
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

/** The longest that an answer is waited for: what is under way then ends by itself, and nobody hears of it. */
const callMs = 10_000

/** Ends a call on the server as well. The driver's own `timeoutMS` does nothing in its version 7. */
export const callLimit = { maxTimeMS: callMs } as const

/** Makes a function of few calls fail as the port named by `what` does, and in time. */
export function guardedMongo(what: string, withinMs = callMs) {
  const surely = guardedLongMongo(what)
  return <Args extends readonly unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    surely((...args: Args) => inTime(what, withinMs, work(...args)))
}

/** The same for a function whose calls may be many, each of which ends in time. */
export function guardedLongMongo(what: string) {
  return <Args extends readonly unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      try {
        return await work(...args)
      } catch (error) {
        throw mongoFailure(what, error)
      }
    }
}

async function inTime<Result>(what: string, ms: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(mongoUnavailable(what, `no answer within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The words of the driver, at most so many; they name hosts and no passwords. */
export function wordsOf(error: Error): string {
  const code = codeOf(error)
  return `${error.message.slice(0, 300)}${code === undefined ? '' : ` (code ${code})`}`
}

function codeOf(error: unknown): number | undefined {
  return error instanceof MongoServerError && typeof error.code === 'number'
    ? error.code
    : undefined
}
