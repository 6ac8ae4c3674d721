/** What a rulebook in memory need not hold: versions that nothing decides on. They stay in the log. */

import type { Entry, RulebookEvent, RulebookState, RuleVersion } from './rulebook.ts'
import { versionBytes } from './versionBytes.ts'
import { versionKey } from './versionEvents.ts'

/** Forgets versions that the events have made old: of rules all but the current one and those that recipes pin, of the rest all but the current one. */
export function trimRulebook(state: RulebookState, events: readonly RulebookEvent[]): void {
  for (const { data } of events) {
    if ('rule_id' in data) state.loose.add(data.rule_id)
    else if ('recipe_id' in data) trim(state, state.recipes.get(data.recipe_id))
    else if ('flow_id' in data) trim(state, state.flows.get(data.flow_id))
  }
  for (const id of state.loose) trimRule(state, id)
  state.loose.clear()
}

/** Whether recipes pin versions that are not held. */
export function lacksVersions(state: RulebookState): boolean {
  return state.lacking.size > 0
}

/** Takes versions that recipes pin, as they were found in the log, by key; one that is not among them is nowhere. */
export function supplyVersions(
  state: RulebookState,
  wanted: readonly string[],
  found: ReadonlyMap<string, RuleVersion>,
): void {
  for (const key of wanted) {
    const version = found.get(key)
    const entry = state.rules.get(key.slice(0, key.indexOf('/')))
    if (!state.lacking.delete(key) || !version || !entry) continue
    entry.versions.set(version.version_id, version)
    state.bytes += versionBytes(state, version)
  }
}

function trimRule(state: RulebookState, id: string): void {
  trim(state, state.rules.get(id), (versionId) => state.pins.get(versionKey(id, versionId)) ?? 0)
}

type Held = Entry<{ readonly version_id: string }>

function trim(
  state: RulebookState,
  entry: Held | undefined,
  pinned: (versionId: string) => number = () => 0,
): void {
  if (!entry || (entry.versions.size === 1 && entry.current)) return
  for (const [id, version] of entry.versions) {
    if (id === entry.current?.version_id || pinned(id) > 0) continue
    entry.versions.delete(id)
    state.bytes -= versionBytes(state, version)
  }
}
