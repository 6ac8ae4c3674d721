/** What versions are called that no rulebook in memory holds any more. */

import type { Rulebooks } from '../../commands/rulebook/rulebooks.ts'
import type { Plan } from '../../engine/run/plan.ts'
import { versionKey } from '../../events/rulebook/versionEvents.ts'
import { versionContents } from '../../queries/rulebook/versions.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { type Names, namesIn } from './namesIn.ts'

/** Versions that are looked up for one answer; what else is not held is called as it is now. */
const lookUpsMax = 500

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
