/** The names by whose order the evidence of an evaluation is recorded. */

import type { Expression } from '../../engine/language/expression.ts'
import { collect } from '../../engine/language/readsOf.ts'

/** Names whose values stand elsewhere in the record: the target under keys of its own, the clock as the evaluation's time. */
export const recordedApart: ReadonlySet<string> = new Set([
  'target.phone_number',
  'target.email_address',
  'request.time',
])

/** The names that a plan's rules say, each with its place in their order. */
export type NamesRead = ReadonlyMap<string, number>

/**
 * Adds the names that an expression reads or asks for with `has`, in the order of its text, to those of the rules before it. The names of
 * a plan are those of its rules in the plan's order, each once. Records are read by this order: it never changes.
 */
export function addNamesRead(names: Map<string, number>, expression: Expression | undefined): void {
  if (!expression) return
  collect(expression, (node) => {
    const isNew = (node.kind === 'read' || node.kind === 'has') && !names.has(node.name)
    if (isNew) names.set(node.name, names.size)
  })
}
