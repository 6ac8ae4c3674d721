/** The versions that a rulebook in memory holds: the current ones, and those of rules that recipes pin. The others are in the log. */

import type { Entry, FlowVersion, RecipeVersion, RulebookState, RuleVersion } from './rulebook.ts'
import { versionKey } from './versionEvents.ts'

type Version = RuleVersion | RecipeVersion | FlowVersion

/** Holds the version, in place of one of the same id. */
export function holdVersion<Held extends Version>(
  state: RulebookState,
  entry: Entry<Held>,
  version: Held,
): void {
  forgetVersion(state, entry, version.version_id)
  entry.versions.set(version.version_id, version)
  count(state, version, 1)
}

/** Forgets the version, where it is held. */
export function forgetVersion<Held extends Version>(
  state: RulebookState,
  entry: Entry<Held>,
  versionId: string,
): void {
  const version = entry.versions.get(versionId)
  if (!version) return
  entry.versions.delete(versionId)
  count(state, version, -1)
}

/** Forgets the version of the rule unless it is current, or a recipe pins it. */
export function forgetRule(state: RulebookState, id: string, versionId: string | undefined): void {
  const entry = state.rules.get(id)
  if (!entry || versionId === undefined || entry.current?.version_id === versionId) return
  if (!state.pins.get(versionKey(id, versionId))) forgetVersion(state, entry, versionId)
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
    if (state.lacking.delete(key) && version && entry) holdVersion(state, entry, version)
  }
}

function count({ held }: RulebookState, version: Version, times: 1 | -1): void {
  held.text += times * version.name.length
  if ('expression' in version) {
    held.text += times * version.text.length
    held.compiled += times * version.expression.length
  }
  if (!('rules' in version)) return
  held.memberships += times * version.rules.length
  for (const [name, value] of Object.entries(version.parameters ?? {})) {
    held.text += times * (name.length + value.length)
  }
}
