/** Evidence as the record of an evaluation has it, and back. */

import type { Evidence, EvidenceItem, EvidenceSource } from '../../engine/run/evidence.ts'
import type { RecordedEvidence, RecordedItem, RecordedRevision } from './evaluation.ts'
import { recordedApart } from './namesRead.ts'

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

type Arrived = Required<Pick<RecordedEvidence, 'sources' | 'values' | 'items'>> &
  Pick<RecordedEvidence, 'lists'>

/** What arrived, in the order of the names that the plan reads; what it does not read behind it, by name. */
export function recordEvidence(evidence: Evidence, names: ReadonlySet<string>): Arrived {
  const values: RecordedItem[1][] = []
  let sources = ''
  for (const name of names) {
    const item = recordedApart.has(name) ? undefined : evidence.get(name)
    sources += item ? letters[item.source] : absent
    if (item) values.push(item.value)
  }
  return { sources, values, ...besides(evidence, names) }
}

/** What the plan does not read, and of which revision the answer of each list is. */
function besides(evidence: Evidence, names: ReadonlySet<string>): Pick<Arrived, 'items' | 'lists'> {
  const items: RecordedItem[] = []
  const lists: RecordedRevision[] = []
  for (const [name, { value, source, revision }] of evidence) {
    if (revision !== undefined) lists.push([name, revision])
    if (!names.has(name) && !recordedApart.has(name)) items.push([name, value, source])
  }
  return lists.length > 0 ? { items, lists } : { items }
}

/**
 * What had arrived, by name, but for what stands elsewhere in the record. Throws when the record is not of a plan that reads these names.
 */
export function recordedItems(
  { sources, values = [], items, lists = [] }: RecordedEvidence,
  names: ReadonlySet<string>,
): ReadonlyMap<string, EvidenceItem> {
  const revisions = new Map(lists)
  const found = new Map<string, EvidenceItem>()
  const add = (name: string, value: RecordedItem[1], source: EvidenceSource): void => {
    const revision = revisions.get(name)
    found.set(name, { value, source, ...(revision !== undefined && { revision }) })
  }
  // a record older than version 7 of the event has no order
  if (sources !== undefined) inOrder({ sources, values }, names, add)
  for (const [name, value, source] of items) add(name, value, source)
  return found
}

function inOrder(
  { sources, values }: Required<Pick<RecordedEvidence, 'sources' | 'values'>>,
  names: ReadonlySet<string>,
  add: (name: string, value: RecordedItem[1], source: EvidenceSource) => void,
): void {
  let at = 0
  let next = 0
  for (const name of names) {
    const letter = sources.charAt(at)
    at += 1
    if (letter === absent) continue
    const value = values[next]
    next += 1
    const source = sourceOf.get(letter)
    if (source === undefined || value === undefined) throw notOfThisPlan()
    add(name, value, source)
  }
  if (at !== sources.length || next !== values.length) throw notOfThisPlan()
}

function notOfThisPlan(): Error {
  return new Error('the evidence on record is not of this plan')
}
