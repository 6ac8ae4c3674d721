/** Encodes evidence for the record of an evaluation, and decodes it. */

import { collect, type Expression } from '../../engine/language/expression.ts'
import type { Evidence, EvidenceItem, EvidenceSource } from '../../engine/run/evidence.ts'
import type { RecordedEvidence, RecordedItem, RecordedRevision } from './evaluation.ts'

/** Names whose values stand elsewhere in the record: the target under keys of its own, the clock as the evaluation's time. */
const recordedApart: ReadonlySet<string> = new Set([
  'target.phone_number',
  'target.email_address',
  'request.time',
])

/** The letters of `RecordedEvidence.sources`. */
const letters: Readonly<Record<EvidenceSource, string>> = {
  dispatch: 'D',
  request: 'R',
  user_agent: 'U',
  list: 'L',
  service: 'S',
}
const absent = '-'
const sourceOf = new Map(
  (Object.keys(letters) as EvidenceSource[]).map((source) => [letters[source], source]),
)

/** What `RecordedEvidence.sources` looks like: a name that is absent, or so many behind one another, and letters. */
export const sourcesPattern = '^(?:[DRULS]|-[0-9]{0,7})*$'
const step = /([A-Z])|-(\d*)/g

type Arrived = Pick<RecordedEvidence, 'sources' | 'values' | 'items' | 'lists'>

/**
 * What arrived, in the order of the names that the plan reads; what it does not read behind it, by name. Takes what arrived takes, and not
 * what the plan might read.
 */
export function recordEvidence(evidence: Evidence, names: NamesRead): Arrived {
  const arrived: { readonly at: number; readonly item: EvidenceItem }[] = []
  const items: RecordedItem[] = []
  const lists: RecordedRevision[] = []
  for (const [name, item] of evidence) {
    if (item.revision !== undefined) lists.push([name, item.revision])
    if (recordedApart.has(name)) continue
    const at = names.get(name)
    if (at === undefined) items.push([name, item.value, item.source])
    else arrived.push({ at, item })
  }
  arrived.sort((one, other) => one.at - other.at)
  let sources = ''
  let next = 0
  for (const { at, item } of arrived) {
    sources += absences(at - next) + letters[item.source]
    next = at + 1
  }
  sources += absences(names.size - next)
  const values = arrived.map(({ item: { value } }) => value)
  return lists.length > 0 ? { sources, values, items, lists } : { sources, values, items }
}

/** So many names behind one another that are absent. */
function absences(count: number): string {
  if (count === 0) return ''
  return count === 1 ? absent : `${absent}${count}`
}

/**
 * What had arrived, by name, but for what stands elsewhere in the record. Throws when the record is not of a plan that reads these names.
 */
export function recordedItems(
  { sources, values, items, lists = [] }: RecordedEvidence,
  names: NamesRead,
): ReadonlyMap<string, EvidenceItem> {
  const revisions = new Map(lists)
  const found = new Map<string, EvidenceItem>()
  const add = (name: string, value: RecordedItem[1], source: EvidenceSource): void => {
    const revision = revisions.get(name)
    found.set(name, { value, source, ...(revision !== undefined && { revision }) })
  }
  inOrder({ sources, values }, names, add)
  for (const [name, value, source] of items) add(name, value, source)
  return found
}

function inOrder(
  { sources, values }: Pick<RecordedEvidence, 'sources' | 'values'>,
  names: NamesRead,
  add: (name: string, value: RecordedItem[1], source: EvidenceSource) => void,
): void {
  const all = [...names.keys()]
  let at = 0
  let next = 0
  for (const [, letter, count] of sources.matchAll(step)) {
    if (letter === undefined) {
      at += count === '' ? 1 : Number(count)
      continue
    }
    const [name, value, source] = [all[at], values[next], sourceOf.get(letter)]
    at += 1
    next += 1
    if (name === undefined || value === undefined || !source) throw notOfThisPlan()
    add(name, value, source)
  }
  if (at !== all.length || next !== values.length) throw notOfThisPlan()
}

function notOfThisPlan(): Error {
  return new Error('the evidence on record is not of this plan')
}

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
