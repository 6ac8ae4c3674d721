/** A rule beside what arrived for it: what an explanation looks at. */

import type { Expression, ReadNode } from '../language/expression.ts'
import { unreachedParts } from '../language/guards.ts'
import { ofText } from '../language/operators/conversion.ts'
import { childrenOf } from '../language/readsOf.ts'
import type { Semantics } from '../language/semantics.ts'
import type { Cell } from '../language/values/value.ts'
import type { Evidence, EvidenceItem } from '../run/evidence.ts'

export interface Seen {
  readonly expression: Expression
  readonly semantics: Semantics
  readonly itemOf: (name: string) => EvidenceItem | undefined
  /** What a read gives; undefined when its name did not arrive or does not convert. */
  readonly gives: (read: ReadNode) => Cell | undefined
  readonly arrived: (name: string) => boolean
  /** The parts that guards of `has` keep the rule from reaching. */
  readonly unreached: ReadonlySet<Expression>
  /** The reads in parts that are reached. */
  readonly needed: ReadonlySet<ReadNode>
  /** The parts that rest on a needed read which gives nothing: where there are any, the rule waits and did not run. */
  readonly waiting: ReadonlySet<Expression>
}

/** The rule over the evidence, as that version means it. */
export function seenBy(expression: Expression, evidence: Evidence, semantics: Semantics): Seen {
  const itemOf: Seen['itemOf'] = (name) => {
    const item = evidence.get(name)
    // an empty text did not arrive
    return item?.value === '' ? undefined : item
  }
  const arrived = (name: string): boolean => itemOf(name) !== undefined
  const gives: Seen['gives'] = ({ name, convert }) => {
    const value = itemOf(name)?.value
    if (convert === undefined) return value
    return typeof value === 'string' ? ofText[convert](value) : undefined
  }
  const unreached = unreachedParts(expression, arrived)
  const needed = new Set<ReadNode>()
  const waiting = new Set<Expression>()
  const visit = (node: Expression): boolean => {
    if (unreached.has(node)) return false
    if (node.kind === 'read') needed.add(node)
    const lacks = node.kind === 'read' && gives(node) === undefined
    const below = childrenOf(node).map(visit)
    const waits = lacks || below.includes(true)
    if (waits) waiting.add(node)
    return waits
  }
  visit(expression)
  return { expression, semantics, itemOf, gives, arrived, unreached, needed, waiting }
}
