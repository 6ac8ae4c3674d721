/** Reads `If-Match` and `If-None-Match` (RFC 9110, 13.1). */

import type { EntityCondition } from '../../domain/entityTag.ts'
import { invalidRequest } from '../../domain/failure.ts'
import type { Context } from './context.ts'

/** Tags that one header may name. */
const tagsMax = 50
const lengthMax = 4_096

/** One place of the list, up to its comma: a tag, which may have commas in it, or nothing (RFC 9110, 5.6.1.2). */
const listPlace = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y

/** What `If-Match` asks; undefined without one. Throws `invalid_request` for what is no list of entity tags. */
export function readIfMatch(ctx: Context): EntityCondition | undefined {
  const header = ctx.req.headers['if-match']
  if (header === undefined) return undefined
  const condition = conditionOf(header)
  if (condition) return condition
  throw invalidRequest([
    { path: 'If-Match', message: `Must be * or at most ${tagsMax} entity tags in quotes.` },
  ])
}

/** Throws `invalid_request` where a command that knows no condition is given with one: it would be carried out whether it holds or not. */
export function refuseIfMatch(ctx: Context): void {
  if (ctx.req.headers['if-match'] === undefined) return
  const message =
    'This request cannot be made on that condition; several changes at once take if_match in each of them.'
  throw invalidRequest([{ path: 'If-Match', message }])
}

/** Whether `If-None-Match` names the tag, by the weak comparison; a header that cannot be read names nothing. */
export function isKnown(ctx: Context, tag: string | undefined): boolean {
  if (tag === undefined) return false
  const condition = conditionOf(ctx.req.headers['if-none-match'] ?? '')
  if (!condition) return false
  return condition === '*' || condition.some((known) => known.replace(/^W\//, '') === tag)
}

function conditionOf(header: string): EntityCondition | undefined {
  if (header.trim() === '*') return '*'
  if (header.length > lengthMax) return undefined
  const tags = tagsOf(header)
  return tags && tags.length > 0 && tags.length <= tagsMax ? tags : undefined
}

function tagsOf(header: string): readonly string[] | undefined {
  const tags: string[] = []
  listPlace.lastIndex = 0
  for (let at = 0; at < header.length; at = listPlace.lastIndex) {
    const place = listPlace.exec(header)
    if (!place) return undefined
    if (place[1] !== undefined) tags.push(place[1])
  }
  return tags
}
