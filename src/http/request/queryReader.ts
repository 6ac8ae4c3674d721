/** Declares query parameters, and reads and checks their values. */

import type { PageRequest } from '../../domain/call.ts'
import {
  Failure,
  type FailureCode,
  type FailureDetail,
  invalidRequest,
} from '../../domain/failure.ts'
import { type IdPrefix, isId } from '../../domain/ids.ts'
import { inputLimits } from '../../domain/jsonSchema.ts'
import type { Context } from './requestContext.ts'
import type { RequestParameter } from './route.ts'
import { describeUnknownName } from './schema/validator.ts'

/** More than any route knows. */
const parametersMax = 50

export interface QueryReader<Query> {
  readonly parameters: readonly RequestParameter[]
  /** Of parameters whose refusal has a code of its own. */
  readonly failureCodes?: Readonly<Record<string, FailureCode>>
  /** What was asked for. What is not acceptable is added to the details; the answer is then not used. */
  readonly read: (given: QueryTexts, details: FailureDetail[]) => Query
}

/**
 * Reads the query of a request. Throws `invalid_request` naming every parameter that is unknown, given twice, or
 * refused by its reader; or with the failure code of its own that the first of them has.
 */
export function readQuery<Query>(
  { querystring }: Pick<Context, 'querystring'>,
  { parameters, read, failureCodes = {} }: QueryReader<Query>,
): Query {
  const details: FailureDetail[] = []
  const known = parameters.map(({ name }) => name)
  const query = read(readQueryTexts(querystring, known, details), details)
  if (details.length === 0) return query
  // a later problem of a parameter only follows from its first
  const paths = details.map(({ path }) => path)
  const firsts = details.filter(({ path }, index) => paths.indexOf(path) === index)
  // a caller may name a parameter as anything that objects have by themselves
  const own = firsts.find(({ path }) => Object.hasOwn(failureCodes, path))
  const code = own && failureCodes[own.path]
  if (code === undefined) throw invalidRequest(firsts)
  throw new Failure(code, 'The page asked for cannot be.', { details: firsts })
}

export const noQuery: QueryReader<undefined> = { parameters: [], read: () => undefined }

/** A parameter, and how its text is read. */
export interface TypedQueryParameter<Value> extends RequestParameter {
  /** Undefined for a text that is refused. */
  readonly parse: (text: string) => Value | undefined
  /** Said of a text that is refused, and of a required parameter that is absent. */
  readonly message: string | ((text: string) => string)
  /** The value when the parameter is absent. */
  readonly fallback?: Value
}

export type ParameterTable = Readonly<Record<string, TypedQueryParameter<unknown>>>

/** The values of a query by the keys of its table; parameters without a fallback may be absent. */
type ValuesOf<Table extends ParameterTable> = GivenIn<Table> & MaybeIn<Table> extends infer Both
  ? { readonly [Key in keyof Both]: Both[Key] }
  : never
type Certain = { readonly fallback: unknown } | { readonly required: true }
type GivenIn<Table extends ParameterTable> = {
  [Key in keyof Table as Table[Key] extends Certain ? Key : never]: ValueOf<Table[Key]>
}
type MaybeIn<Table extends ParameterTable> = {
  [Key in keyof Table as Table[Key] extends Certain ? never : Key]?: ValueOf<Table[Key]>
}
type ValueOf<One> = One extends TypedQueryParameter<infer Value> ? Value : never

/** The reader of these parameters, each of which is read under its key. */
export function buildQueryReader<Table extends ParameterTable>(
  table: Table,
): QueryReader<ValuesOf<Table>> {
  const entries = Object.entries(table)
  return {
    parameters: Object.values(table),
    read: (given, details) => {
      const values: Record<string, unknown> = {}
      for (const [key, parameter] of entries) {
        const value = readParameter(parameter, given, details)
        if (value !== undefined) values[key] = value
      }
      return values as ValuesOf<Table>
    },
  }
}

/** Reads a parameter; undefined when it is absent, or refused, which is added to the details. */
function readParameter<Value>(
  { name, required, parse, message, fallback }: TypedQueryParameter<Value>,
  { [name]: text }: QueryTexts,
  details: FailureDetail[],
): Value | undefined {
  if (text === undefined && !required) return fallback
  const value = text === undefined ? undefined : parse(text)
  if (value === undefined) {
    const said = typeof message === 'string' ? message : message(text ?? '')
    details.push({ path: name, message: said })
  }
  return value
}

/** A whole number within the bounds, such as a position of the log. */
export function numberParameter(
  name: string,
  description: string,
  { min = 0, max = Number.MAX_SAFE_INTEGER }: { readonly min?: number; readonly max?: number } = {},
) {
  return {
    name,
    description,
    schema: { type: 'integer', minimum: min, maximum: max },
    parse: (text: string) => {
      const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
      return value >= min && value <= max ? value : undefined
    },
    message: `Must be a whole number from ${min} to ${max}.`,
  } satisfies TypedQueryParameter<number>
}

/** A text of 1 to `max` characters, counted as the schema of a body counts them: one outside the first plane is one. */
export function textParameter(name: string, description: string, max: number) {
  const fits = (text: string) => text !== '' && text.length <= 2 * max && [...text].length <= max
  return {
    name,
    description,
    schema: { type: 'string', minLength: 1, maxLength: max },
    parse: (text: string) => (fits(text) ? text : undefined),
    message: `Must be 1 to ${max} characters.`,
  } satisfies TypedQueryParameter<string>
}

export function idParameter(
  name: string,
  prefix: IdPrefix,
  texts: Pick<TypedQueryParameter<string>, 'description' | 'message'>,
) {
  const parse = (text: string) => (isId(prefix, text) ? text : undefined)
  return { name, schema: { type: 'string' }, parse, ...texts }
}

export function choiceParameter<const Word extends string>(
  name: string,
  words: readonly Word[],
  description: string,
) {
  return {
    name,
    description,
    schema: { type: 'string', enum: words },
    parse: (text: string) => words.find((word) => word === text),
    message: `Must be one of: ${words.join(', ')}.`,
  } satisfies TypedQueryParameter<Word>
}

/** The parameter with the value that counts when it is absent. */
export function withFallback<One extends TypedQueryParameter<unknown>, Value extends ValueOf<One>>(
  parameter: One,
  fallback: Value,
) {
  return { ...parameter, schema: { ...parameter.schema, default: fallback }, fallback }
}

export const minPositionParameter = numberParameter(
  'min_position',
  'Wait until reads include this position (`X-Vigil-Position` of a write).',
)

export const limitParameter = withFallback(
  numberParameter('limit', 'Maximum number of entries; fewer are returned when they are long.', {
    min: 1,
    max: inputLimits.page,
  }),
  inputLimits.pageDefault,
)

export const cursorParameter = {
  ...textParameter('cursor', '`next_cursor` of the previous page.', inputLimits.cursor),
  message: 'Must be the next_cursor of an earlier page.',
}

/** `min_position`. */
export const minPositionQuery = buildQueryReader({ minPosition: minPositionParameter })

export const pageParameters = {
  limit: limitParameter,
  cursor: cursorParameter,
  minPosition: minPositionParameter,
}

/** `limit`, `cursor` and `min_position`. */
export const pageQuery = buildQueryReader(pageParameters)

const wholeQuery = buildQueryReader({
  ...pageParameters,
  limit: numberParameter(
    'limit',
    'Maximum number of entries. Without it and `cursor` all are returned.',
    { min: 1, max: inputLimits.page },
  ),
})

/**
 * `limit`, `cursor` and `min_position`. Without `limit` and `cursor` the whole list is returned; `cursor` alone has a
 * default limit.
 */
export const optionalPageQuery: QueryReader<Partial<PageRequest>> = {
  ...wholeQuery,
  read: (given, details) => {
    const query = wholeQuery.read(given, details)
    return query.cursor === undefined ? query : { limit: inputLimits.pageDefault, ...query }
  },
}

/** The text of each parameter that was given. */
export type QueryTexts = Readonly<Record<string, string | undefined>>

const noTexts: QueryTexts = Object.freeze(Object.create(null))

/**
 * Splits a query (without its question mark) into parameters. One that is unknown, given twice, or not percent-encoded
 * UTF-8 is left out and added to the details under its name. A query with too many parameters is not read, and is added
 * as well.
 */
export function readQueryTexts(
  query: string,
  known: readonly string[],
  details: FailureDetail[],
): QueryTexts {
  // as most requests are
  if (query === '') return noTexts
  const pairs = query.split('&').filter((pair) => pair !== '')
  if (pairs.length > parametersMax) {
    details.push({ path: '', message: `Must have at most ${parametersMax} parameters.` })
    return noTexts
  }
  const texts: Record<string, string> = Object.create(null)
  for (const pair of pairs) {
    const [encodedName = '', ...rest] = pair.split('=')
    const name = decode(encodedName) ?? encodedName
    const text = decode(rest.join('='))
    const refuse = (message: string) => details.push({ path: name, message })
    if (!known.includes(name)) refuse(describeUnknownName('parameter', name, known))
    else if (text === undefined) refuse('Must be percent-encoded UTF-8.')
    else if (texts[name] !== undefined) refuse('Must be given once.')
    else texts[name] = text
  }
  return texts
}

/** The decoded text; undefined for what is not the encoding of a text. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** A phone number in a query: a `+` that was not encoded arrives as a space, and no number begins with one. */
export function restorePlus(text: string): string {
  return text.replace(/^\s+/, '+')
}
