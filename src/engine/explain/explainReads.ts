/** The names of a rule: what it read and what it asked for, and what arrived under each. */

import type { ReadNode } from '../language/expression.ts'
import { collect } from '../language/readsOf.ts'
import type { Cell } from '../language/values/value.ts'
import type { EvidenceSource } from '../run/evidence.ts'
import type { NotCounted } from '../run/notCounted.ts'
import type { Seen } from './seen.ts'
import { shownCell } from './shownCell.ts'

/** A name that a rule reads (`read`) or asks for (`has`), and what arrived under it. */
export interface ExplainedRead {
  readonly name: string
  readonly use: 'read' | 'has'
  readonly convert?: NonNullable<ReadNode['convert']>
  /** False for a read that guards of `has` kept the rule from: it does not wait for it. */
  readonly needed?: false
  readonly arrived: boolean
  /** Times in ISO 8601. */
  readonly value?: Cell
  readonly source?: EvidenceSource
  /** What was sent under the name and did not count; absent when nothing was. */
  readonly not_counted?: readonly Omit<NotCounted, 'name'>[]
}

/** Each name, use and conversion once, in order of appearance: of a read that the rule needs, where it first does. */
export function explainReads(
  seen: Seen,
  notCounted: readonly NotCounted[] = [],
): readonly ExplainedRead[] {
  const reads = new Map<string, ExplainedRead>()
  const needed = new Set([...seen.needed].map(keyOf))
  collect(seen.expression, (node) => {
    if (node.kind !== 'read' && node.kind !== 'has') return
    const key = keyOf(node)
    const later = node.kind === 'read' && needed.has(key) && !seen.needed.has(node)
    if (reads.has(key) || later) return
    const { name, kind: use } = node
    const item = seen.itemOf(name)
    const left = notCounted.filter((signal) => signal.name === name)
    reads.set(key, {
      name,
      use,
      ...(node.kind === 'read' && node.convert && { convert: node.convert }),
      ...(node.kind === 'read' && !needed.has(key) && { needed: false as const }),
      arrived: item !== undefined,
      ...(item && { value: shownCell(name, item.value), source: item.source }),
      ...(left.length > 0 && { not_counted: left.map(({ name: _, ...signal }) => signal) }),
    })
  })
  return [...reads.values()]
}

function keyOf(node: Pick<ReadNode, 'name' | 'convert'> & { readonly kind: string }): string {
  return `${node.kind} ${node.convert ?? ''} ${node.name}`
}
