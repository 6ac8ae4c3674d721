/** Cuts evidence to what its account may see: nothing that tells what managed rules read. */

import type { Evidence } from '../../engine/run/evidence.ts'
import type { Plan } from '../../engine/run/plan.ts'
import { addShownNames, type ShownNames } from '../../engine/run/shownRule.ts'

/** The names that the account's own rules of the plans say, in their order. */
export function indexShownNames(plans: readonly Plan[]): ShownNames {
  const names = new Map<string, number>()
  const rules = plans.flatMap(({ recipes }) => recipes.flatMap((recipe) => recipe.rules))
  for (const rule of rules) addShownNames(names, rule)
  return names
}

/** Sources of what is found out because some rule reads it. */
const foundByReading: ReadonlySet<string | undefined> = new Set(['user_agent', 'call'])

/** What every evaluation has, and differs where a rule reads it. */
export const serviceNames: ReadonlySet<string> = new Set(['request.time', 'flow.id'])

/** The evidence without what was found out for managed rules alone; what the caller sent stays. */
export function showEvidence(evidence: Evidence, names: ShownNames): Evidence {
  return new Map(
    [...evidence].filter(
      ([name, { source }]) =>
        names.has(name) || !(foundByReading.has(source) || name === 'flow.id'),
    ),
  )
}

/**
 * Whether a difference under the name may be shown: of the clock and what is found out it is one only because some
 * rule reads them.
 */
export function showsDifference(
  name: string,
  names: ShownNames,
  sides: readonly Evidence[],
): boolean {
  if (names.has(name)) return true
  return !serviceNames.has(name) && !sides.some((of) => foundByReading.has(of.get(name)?.source))
}
