/** What things are called, for people: the names of an account's own flows and recipes, what managed rules are described as. */

import type { Rulebooks } from '../../commands/rulebook/rulebooks.ts'
import { versionKey } from '../../events/rulebook/versionEvents.ts'

/** Of the version, else of the newest there is, also of what has been deleted; undefined for what has none. */
type NameOf = (id: string, versionId: string | undefined) => string | undefined

export interface Names {
  readonly flow: NameOf
  readonly recipe: NameOf
  /** The description: customers are told neither name nor version of a managed rule (spec 2.6). */
  readonly managedRule: NameOf
}

/** What earlier versions are called, by `versionKey`: names, and descriptions of managed rules. */
export type EarlierNames = ReadonlyMap<string, string>

/** The names in these rulebooks, and of versions that they do not hold. */
export function namesIn({ own, managed }: Rulebooks, earlier: EarlierNames = new Map()): Names {
  const named =
    <Version>(
      entryOf: (id: string) => Versioned<Version> | undefined,
      of: NameIn<Version>,
    ): NameOf =>
    (id, versionId) =>
      nameOf(entryOf(id), of, { earlier: earlier.get(versionKey(id, versionId ?? '')), versionId })
  const ofName = ({ name }: { readonly name: string }) => name
  return {
    flow: named((id) => own.flows.get(id), ofName),
    recipe: named((id) => own.recipes.get(id), ofName),
    managedRule: named(
      (id) => managed.rules.get(id),
      ({ description }) => description,
    ),
  }
}

interface Versioned<Version> {
  readonly current: Version | undefined
  readonly versions: ReadonlyMap<string, Version>
}

type NameIn<Version> = (version: Version) => string

interface Meant {
  readonly versionId: string | undefined
  readonly earlier: string | undefined
}

function nameOf<Version>(
  entry: Versioned<Version> | undefined,
  of: NameIn<Version>,
  { versionId, earlier }: Meant,
): string | undefined {
  const held = versionId === undefined ? undefined : entry?.versions.get(versionId)
  const version = held ?? (earlier === undefined ? newestOf(entry) : undefined)
  return (version ? of(version) : earlier) || undefined
}

function newestOf<Version>(entry: Versioned<Version> | undefined): Version | undefined {
  return entry?.current ?? [...(entry?.versions.values() ?? [])].at(-1)
}
