/** Computes entity tags and checks `If-Match` conditions (RFC 9110, 8.8.3). */

import { hash } from 'node:crypto'
import { canonicalJson } from './canonicalJson.ts'

/** An `If-Match` condition: `*` for any representation, or one of these tags, quotes included. */
export type EntityCondition = '*' | readonly string[]

/** The strong tag of a representation, quotes included: equal values have equal tags. */
export function entityTag(representation: object): string {
  return `"${hash('sha256', canonicalJson(representation), 'base64url').slice(0, 27)}"`
}

/**
 * Whether the condition holds for the current representation. A weak tag (`W/"…"`) equals no strong one (RFC 9110,
 * 13.1.1).
 */
export function isConditionMet(condition: EntityCondition, present: object | undefined): boolean {
  if (present === undefined) return false
  return condition === '*' || condition.includes(entityTag(present))
}
