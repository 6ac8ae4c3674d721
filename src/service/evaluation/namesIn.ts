/** What things are called, for people: the names of an account's own flows and recipes, what managed rules are described as. */

import type { Rulebooks } from '../../commands/rulebook/rulebookStreams.ts'
import type { Plan } from '../../engine/run/plan.ts'
import { versionKey } from '../../events/rulebook/versionEvents.ts'
import { versionContents } from '../../queries/rulebook/versions.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'

/** Versions that are looked up for one answer; what else is not held is called as it is now. */
const lookUpsMax = 500

/** Of the version, else of the current one, of managed rules also when it was deleted; undefined for what has none. */
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
  const version = held ?? (earlier === undefined ? entry?.current : undefined)
  return (version ? of(version) : earlier) || undefined
}

/** Something in one of its versions. */
export interface Named {
  readonly id: string
  readonly versionId: string | undefined
}

/** The names in the rulebooks, and of those of the versions that they do not hold. Throws `unavailable`. */
export async function namesOf(
  context: Pick<ServiceContext, 'documents' | 'projections'>,
  rulebooks: Rulebooks,
  named: Iterable<Named>,
): Promise<Names> {
  const keys = new Set<string>()
  for (const { id, versionId } of named) {
    if (versionId === undefined || keys.size >= lookUpsMax) continue
    if (!isHeld(rulebooks, id, versionId)) keys.add(versionKey(id, versionId))
  }
  const earlier = new Map<string, string>()
  for (const [key, content] of await versionContents(context, [...keys])) {
    const name = 'description' in content ? content.description : content.name
    if (name !== undefined) earlier.set(key, name)
  }
  return namesIn(rulebooks, earlier)
}

/** Everything in a plan that has a name for people. */
export function namedInPlan({ flow_id, flow_version_id, recipes }: Plan): readonly Named[] {
  return [
    { id: flow_id, versionId: flow_version_id },
    ...recipes.flatMap(({ recipe_id, version_id, rules }) => [
      { id: recipe_id, versionId: version_id },
      ...rules
        .filter(({ type }) => type === 'MANAGED')
        .map((rule) => ({ id: rule.rule_id, versionId: rule.version_id })),
    ]),
  ]
}

function isHeld({ own, managed }: Rulebooks, id: string, versionId: string): boolean {
  const entry = own.flows.get(id) ?? own.recipes.get(id) ?? managed.rules.get(id)
  return entry?.versions.has(versionId) === true
}
