/** Reads `If-Match`, `If-None-Match` and `Idempotency-Key`; counts how often a header was sent. */

import { invalidRequest } from '../../domain/failure.ts'
import type { Mutable } from '../../domain/mutable.ts'
import type { EntityCondition } from '../../domain/text/entityTag.ts'
import type { Context } from './requestContext.ts'
import type { Route } from './route.ts'

const visibleAscii = /^[\x21-\x7e]{1,255}$/

/** Tags that one header may name. */
const tagsMax = 50
const lengthMax = 4_096

/** One list element up to its comma: a tag, which may contain commas, or nothing (RFC 9110, 5.6.1.2). */
const listElement = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y

/** What a command is told by the headers; only those sent are present. */
export interface RequestConditions {
  readonly idempotencyKey?: string
  readonly ifMatch?: EntityCondition
}

/**
 * Reads the headers that a request of this kind may have. Throws `invalid_request`, also for `If-Match` on a command
 * that ignores it.
 */
export function readConditions(
  ctx: Context,
  { kind, entity }: Pick<Route, 'kind' | 'entity'>,
): RequestConditions {
  const conditions: Mutable<RequestConditions> = {}
  const idempotencyKey = kind === 'write' ? readIdempotencyKey(ctx) : undefined
  if (idempotencyKey !== undefined) conditions.idempotencyKey = idempotencyKey
  if (entity === 'guarded' || entity === 'both') {
    const ifMatch = readIfMatch(ctx)
    if (ifMatch !== undefined) conditions.ifMatch = ifMatch
  } else if (kind === 'write' && ctx.req.headers['if-match'] !== undefined) {
    const message =
      'This request cannot be made on that condition; several changes at once take if_match in each of them.'
    throw invalidRequest([{ path: 'If-Match', message }])
  }
  return conditions
}

/** Reads `If-Match`; undefined without one. Throws `invalid_request` for anything but `*` or a list of entity tags. */
export function readIfMatch(ctx: Context): EntityCondition | undefined {
  const header = ctx.req.headers['if-match']
  if (header === undefined) return undefined
  const condition = parseEntityTags(header)
  if (condition) return condition
  throw invalidRequest([
    { path: 'If-Match', message: `Must be * or at most ${tagsMax} entity tags in quotes.` },
  ])
}

/** Whether `If-None-Match` lists the tag (weak comparison); an invalid header matches nothing. */
export function matchesIfNoneMatch(ctx: Context, tag: string | undefined): boolean {
  if (tag === undefined) return false
  const condition = parseEntityTags(ctx.req.headers['if-none-match'] ?? '')
  if (!condition) return false
  return condition === '*' || condition.some((known) => known.replace(/^W\//, '') === tag)
}

function parseEntityTags(header: string): EntityCondition | undefined {
  if (header.trim() === '*') return '*'
  if (header.length > lengthMax) return undefined
  const tags: string[] = []
  listElement.lastIndex = 0
  for (let at = 0; at < header.length; at = listElement.lastIndex) {
    const element = listElement.exec(header)
    if (!element) return undefined
    if (element[1] !== undefined) tags.push(element[1])
  }
  return tags.length > 0 && tags.length <= tagsMax ? tags : undefined
}

/** The `Idempotency-Key`, if sent. Throws `invalid_request` unless it is 1 to 255 visible ASCII characters. */
export function readIdempotencyKey(ctx: Context): string | undefined {
  const key = ctx.req.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && visibleAscii.test(key)) return key
  throw invalidRequest([
    { path: 'Idempotency-Key', message: 'Must be 1 to 255 visible ASCII characters.' },
  ])
}

/**
 * How often a header was sent, which Node's joined or dropped values do not tell. `name` in lower case; `rawHeaders`
 * alternates names and values, as Node provides them.
 */
export function countHeaderLines(rawHeaders: readonly string[], name: string): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] ?? ''
    if (sent.length === name.length && sent.toLowerCase() === name) count += 1
  }
  return count
}
