/** Reads and checks the parameters of a query. */

import type { Asking, PageRequest } from '../../domain/call.ts'
import {
  Failure,
  type FailureCode,
  type FailureDetail,
  invalidRequest,
} from '../../domain/failure.ts'
import { limits } from '../../domain/schema.ts'
import type { Context } from './context.ts'
import type { QueryParameter } from './route.ts'
import { unknownName } from './schema/validator.ts'

/** More than any route knows. */
const parametersMax = 50

export interface QueryReader<Query> {
  readonly parameters: readonly QueryParameter[]
  /** Of parameters whose refusal has a code of its own. */
  readonly codes?: Readonly<Record<string, FailureCode>>
  /** What was asked for. What is not acceptable is added to the details; the answer is then not used. */
  readonly read: (given: QueryTexts, details: FailureDetail[]) => Query
}

/**
 * Reads the query of a request. Throws `invalid_request` naming every parameter that is unknown, given twice, or refused by its
 * reader; or with the failure code of its own that the first of them has.
 */
export function readQuery<Query>(ctx: Context, reader: QueryReader<Query>): Query {
  const { parameters, read, codes = {} } = reader
  const details: FailureDetail[] = []
  const query = read(textsOf(ctx, parameters, details), details)
  if (details.length > 0) throw refusalOf(firstOfEach(details), codes)
  return query
}

const noTexts: QueryTexts = Object.freeze(Object.create(null))

function textsOf(
  { querystring }: Context,
  parameters: readonly QueryParameter[],
  details: FailureDetail[],
): QueryTexts {
  // as most requests are
  if (querystring === '') return noTexts
  const known = parameters.map(({ name }) => name)
  return readQueryTexts(querystring, known, details)
}

function refusalOf(
  details: readonly FailureDetail[],
  codes: Readonly<Record<string, FailureCode>>,
): Failure {
  // a caller may name a parameter as anything that objects have by themselves
  const own = details.find(({ path }) => Object.hasOwn(codes, path))
  const code = own && codes[own.path]
  if (code === undefined) return invalidRequest(details)
  return new Failure(code, 'The page asked for cannot be.', { details })
}

/** The first problem of each parameter: a later one only follows from it. */
function firstOfEach(details: readonly FailureDetail[]): readonly FailureDetail[] {
  const paths = details.map(({ path }) => path)
  return details.filter(({ path }, index) => paths.indexOf(path) === index)
}

/** For routes that read no query. */
export const noQuery: QueryReader<undefined> = { parameters: [], read: () => undefined }

export const minPositionParameter: QueryParameter = {
  name: 'min_position',
  description: 'Answer from a state that has passed this position (`X-Vigil-Position` of a write).',
  schema: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
}

export const limitParameter: QueryParameter = {
  name: 'limit',
  description: 'How many entries at most; fewer are answered when they are long.',
  schema: { type: 'integer', minimum: 1, maximum: limits.page, default: limits.pageDefault },
}

export const cursorParameter: QueryParameter = {
  name: 'cursor',
  description: 'Where to go on: `next_cursor` of the answer before.',
  schema: { type: 'string', minLength: 1, maxLength: limits.cursor },
}

/** `min_position`. */
export const askingQuery: QueryReader<Asking> = {
  parameters: [minPositionParameter],
  read: readAsking,
}

/** `limit`, `cursor` and `min_position`. */
export const pageQuery: QueryReader<PageRequest> = {
  parameters: [limitParameter, cursorParameter, minPositionParameter],
  read: (given, details) => {
    const limit = readNumber(given, { name: 'limit', min: 1, max: limits.page }, details)
    const cursor = readCursor(given, details)
    const page = { ...readAsking(given, details), limit: limit ?? limits.pageDefault }
    return cursor === undefined ? page : { ...page, cursor }
  },
}

/** `min_position`. */
export function readAsking(given: QueryTexts, details: FailureDetail[]): Asking {
  const minPosition = readNumber(
    given,
    { name: 'min_position', min: 0, max: Number.MAX_SAFE_INTEGER },
    details,
  )
  return minPosition === undefined ? {} : { minPosition }
}

interface Bounds {
  readonly name: string
  readonly min: number
  readonly max: number
}

/** Reads a whole number; undefined when absent, or when out of bounds, which is added to the details. */
export function readNumber(
  given: QueryTexts,
  { name, min, max }: Bounds,
  details: FailureDetail[],
): number | undefined {
  const text = given[name]
  if (text === undefined) return undefined
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  details.push({ path: name, message: `Must be a whole number from ${min} to ${max}.` })
  return undefined
}

/** Reads `cursor`; undefined when absent, or when malformed, which is added to the details. */
export function readCursor({ cursor }: QueryTexts, details: FailureDetail[]): string | undefined {
  if (cursor === undefined) return undefined
  if (cursor !== '' && cursor.length <= limits.cursor) return cursor
  details.push({ path: 'cursor', message: 'Must be the next_cursor of an earlier page.' })
  return undefined
}

/** The text of each parameter that was given. */
export type QueryTexts = Readonly<Record<string, string | undefined>>

/**
 * Splits a query (without its question mark) into parameters. One that is unknown, given twice, or not percent-encoded UTF-8 is left
 * out and added to the details under its name. A query with too many parameters is not read, and is added as well.
 */
export function readQueryTexts(
  query: string,
  known: readonly string[],
  details: FailureDetail[],
): QueryTexts {
  const texts: Record<string, string> = Object.create(null)
  if (query === '') return texts
  const pairs = query.split('&').filter((pair) => pair !== '')
  if (pairs.length > parametersMax) {
    details.push({ path: '', message: `Must have at most ${parametersMax} parameters.` })
    return texts
  }
  for (const pair of pairs) {
    const { name, text } = readPair(pair)
    const problem = problemOf({ name, text }, known, texts)
    if (problem !== undefined) details.push({ path: name, message: problem })
    else if (text !== undefined) texts[name] = text
  }
  return texts
}

interface Pair {
  readonly name: string
  /** Undefined when it is not encoded as it must be. */
  readonly text: string | undefined
}

function readPair(pair: string): Pair {
  const equals = pair.indexOf('=')
  const name = equals < 0 ? pair : pair.slice(0, equals)
  const text = equals < 0 ? '' : pair.slice(equals + 1)
  return { name: decoded(name) ?? name, text: decoded(text) }
}

function problemOf(
  { name, text }: Pair,
  known: readonly string[],
  texts: QueryTexts,
): string | undefined {
  if (!known.includes(name)) return unknownName('parameter', name, known)
  if (text === undefined) return 'Must be percent-encoded UTF-8.'
  return texts[name] === undefined ? undefined : 'Must be given once.'
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    // the only thing it throws: a URIError for what is not the encoding of a text
    return undefined
  }
}
