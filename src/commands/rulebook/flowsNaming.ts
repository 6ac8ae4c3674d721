/** Which flows a change of recipes reaches. */

import type { RulebookState } from '../../events/rulebook/rulebook.ts'

/** The ids of the flows that name one of the recipes, each once, however many of them it names. */
export function flowsNaming(
  { recipes }: Pick<RulebookState, 'recipes'>,
  ids: Iterable<string>,
): ReadonlySet<string> {
  const flows = new Set<string>()
  for (const id of ids) for (const flow of recipes.get(id)?.referrers ?? []) flows.add(flow)
  return flows
}
