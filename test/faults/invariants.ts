/**
 * What must hold at the end of a fault run, whatever went wrong in it. Pure: each function answers sentences, none when
 * all is well.
 */

import type { RecordedEvent } from '../../src/stores/eventStore.ts'
import type { Acknowledged } from './load.ts'

/** Positions rise, every stream has each revision once and in order, and no event stands there twice. */
export function brokenLog(events: readonly RecordedEvent[]): readonly string[] {
  const problems: string[] = []
  const ids = new Set<string>()
  const revisions = new Map<string, number>()
  let last = 0
  for (const { id, stream, revision, position, type } of events) {
    const where = `${type} ${id} at position ${position}`
    if (position <= last) problems.push(`${where} stands behind position ${last}`)
    if (ids.has(id)) problems.push(`${where} is in the log twice`)
    const expected = (revisions.get(stream) ?? -1) + 1
    if (revision !== expected) {
      problems.push(`${where} is revision ${revision} of ${stream}, not ${expected}`)
    }
    last = position
    ids.add(id)
    revisions.set(stream, revision)
  }
  return problems
}

/**
 * Every acknowledged write is in the log exactly once, one for each key, and behind what its client had an answer to
 * before.
 */
export function brokenPromises(
  events: readonly RecordedEvent[],
  acknowledged: readonly Acknowledged[],
): readonly string[] {
  const places = placesOf(events)
  const ofKey = new Map<string, string>()
  const ofClient = new Map<number, number>()
  const problems: string[] = []
  for (const { kind, id, key, client } of acknowledged) {
    const found = places.get(id) ?? []
    const what = `${kind} ${id} (${key})`
    if (found.length !== 1)
      problems.push(`${what} was acknowledged and is there ${found.length} times`)
    if ((ofKey.get(key) ?? id) !== id) problems.push(`${what} has the key of ${ofKey.get(key)}`)
    const [position = 0] = found
    if (position <= (ofClient.get(client) ?? 0)) {
      problems.push(`${what} stands before what its client had an answer to before`)
    }
    ofKey.set(key, id)
    ofClient.set(client, position)
  }
  return problems
}

/** The positions of the events that made an evaluation or a rule, by its id. */
function placesOf(events: readonly RecordedEvent[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>()
  for (const { type, stream, data, position } of events) {
    const id =
      type === 'FlowEvaluated'
        ? stream.slice('evaluation-'.length)
        : type === 'RulePublished'
          ? ruleOf(data)
          : undefined
    if (id !== undefined) places.set(id, [...(places.get(id) ?? []), position])
  }
  return places
}

function ruleOf(data: string): string | undefined {
  const { rule_id } = JSON.parse(data) as { readonly rule_id?: string }
  return rule_id
}

/** The read models have the documents that a fold of the log has, and no others. */
export function brokenReadModels(
  found: ReadonlyMap<string, string>,
  expected: ReadonlyMap<string, string>,
): readonly string[] {
  const problems: string[] = []
  for (const [name, document] of expected) {
    const other = found.get(name)
    if (other === undefined) problems.push(`${name} is missing from the read models`)
    else if (other !== document) problems.push(`${name} is ${other}, a fold makes it ${document}`)
  }
  for (const name of found.keys()) {
    if (!expected.has(name))
      problems.push(`${name} is in the read models, and a fold does not make it`)
  }
  return problems
}

/** What was answered is what is on record: every member of the answer stands in the record. */
export function brokenRecord(answered: unknown, recorded: unknown, path = ''): readonly string[] {
  if (typeof answered !== 'object' || answered === null) {
    return answered === recorded
      ? []
      : [`${path} was answered ${answered}, the record has ${recorded}`]
  }
  if (typeof recorded !== 'object' || recorded === null) return [`${path} is not on record`]
  return Object.entries(answered).flatMap(([name, value]) =>
    brokenRecord(value, (recorded as Readonly<Record<string, unknown>>)[name], `${path}.${name}`),
  )
}
