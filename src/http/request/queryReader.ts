/** Reads and checks the parameters of a query. */

import type { Asking, PageRequest } from '../../domain/call.ts'
import { type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import type { Context } from './context.ts'
import type { QueryParameter } from './route.ts'
import { limits } from './schema.ts'

export interface QueryReader<Query> {
  readonly parameters: readonly QueryParameter[]
  readonly read: (ctx: Context) => Query
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
  description: 'How many entries at most.',
  schema: { type: 'integer', minimum: 1, maximum: limits.page, default: limits.pageDefault },
}

export const cursorParameter: QueryParameter = {
  name: 'cursor',
  description: 'Where to go on: `next_cursor` of the answer before.',
  schema: { type: 'string', minLength: 1, maxLength: limits.cursor },
}

/** `min_position`. Throws `invalid_request`. */
export const askingQuery: QueryReader<Asking> = {
  parameters: [minPositionParameter],
  read: (ctx) => {
    const details: FailureDetail[] = []
    const asking = readAsking(ctx, details)
    refuse(details)
    return asking
  },
}

/** `limit`, `cursor` and `min_position`. Throws `invalid_request` naming each that is not acceptable. */
export const pageQuery: QueryReader<PageRequest> = {
  parameters: [limitParameter, cursorParameter, minPositionParameter],
  read: (ctx) => {
    const details: FailureDetail[] = []
    const limit = readNumber(ctx, { name: 'limit', min: 1, max: limits.page }, details)
    const cursor = readCursor(ctx, details)
    const page = { ...readAsking(ctx, details), limit: limit ?? limits.pageDefault }
    refuse(details)
    return cursor === undefined ? page : { ...page, cursor }
  },
}

/** `min_position`, read alike. */
export function readAsking(ctx: Context, details: FailureDetail[]): Asking {
  const minPosition = readNumber(
    ctx,
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

/** A whole number; undefined when there is none, or when it is out of bounds, which is added to the details. */
export function readNumber(
  ctx: Context,
  { name, min, max }: Bounds,
  details: FailureDetail[],
): number | undefined {
  const given = ctx.query[name]
  if (given === undefined) return undefined
  const value = typeof given === 'string' && /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN
  if (value >= min && value <= max) return value
  details.push({ path: name, message: `Must be a whole number from ${min} to ${max}.` })
  return undefined
}

/** `cursor`, read alike. */
export function readCursor(ctx: Context, details: FailureDetail[]): string | undefined {
  const { cursor: given } = ctx.query
  if (given === undefined) return undefined
  if (typeof given === 'string' && given !== '' && given.length <= limits.cursor) return given
  details.push({ path: 'cursor', message: 'Must be the next_cursor of an earlier page.' })
  return undefined
}

/** Throws `invalid_request` when there are details. */
export function refuse(details: readonly FailureDetail[]): void {
  if (details.length > 0) throw invalidRequest(details)
}
