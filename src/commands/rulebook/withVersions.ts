/** A rulebook with versions that it had forgotten, as somebody has found them in the log; the rulebook itself stays as it is. */

import type { RulebookState, RuleVersion } from '../../events/rulebook/rulebook.ts'

/** Versions of rules by `versionKey`. */
export type KnownVersions = ReadonlyMap<string, RuleVersion>

/** The rulebook, with those of the versions that are of its rules. */
export function withVersions(
  state: RulebookState,
  known: KnownVersions | undefined,
): RulebookState {
  if (!known || known.size === 0) return state
  const { rules } = state
  const byRule = new Map<string, RuleVersion[]>()
  for (const [key, version] of known) {
    const id = key.slice(0, key.indexOf('/'))
    byRule.set(id, [...(byRule.get(id) ?? []), version])
  }
  const get = (id: string) => {
    const [entry, more] = [rules.get(id), byRule.get(id)]
    if (!entry || !more) return entry
    const versions = new Map(entry.versions)
    for (const version of more) versions.set(version.version_id, version)
    return { ...entry, versions }
  }
  return {
    ...state,
    rules: {
      size: rules.size,
      has: (id) => rules.has(id),
      keys: () => rules.keys(),
      set: (id, entry) => rules.set(id, entry),
      get,
    },
  }
}
