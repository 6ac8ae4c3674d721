/** What things are called, for people: the names of an account's own flows and recipes, what managed rules are described as. */

import type { Rulebooks } from '../../commands/rulebook/rulebooks.ts'

/** Of the version, else of the newest there is, also of what has been deleted; undefined for what has none. */
type NameOf = (id: string, versionId: string | undefined) => string | undefined

export interface Names {
  readonly flow: NameOf
  readonly recipe: NameOf
  /** The description: customers are told neither name nor version of a managed rule (spec 2.6). */
  readonly managedRule: NameOf
}

/** The names in these rulebooks. */
export function namesIn({ own, managed }: Rulebooks): Names {
  return {
    flow: (id, versionId) => versionOf(own.flows.get(id), versionId)?.name || undefined,
    recipe: (id, versionId) => versionOf(own.recipes.get(id), versionId)?.name || undefined,
    managedRule: (id, versionId) => versionOf(managed.rules.get(id), versionId)?.description,
  }
}

interface Versioned<Version> {
  readonly current: Version | undefined
  readonly versions: ReadonlyMap<string, Version>
}

function versionOf<Version>(
  entry: Versioned<Version> | undefined,
  versionId: string | undefined,
): Version | undefined {
  if (!entry) return undefined
  const named = versionId === undefined ? undefined : entry.versions.get(versionId)
  return named ?? entry.current ?? [...entry.versions.values()].at(-1)
}
