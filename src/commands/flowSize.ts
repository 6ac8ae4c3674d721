/** Whether a flow would hold more rules than one evaluation may run. */

import type { RulebookState } from '../events/rulebook.ts'
import { flowRulesMax } from './rulebookLimits.ts'

/** Counts the rules of the recipes; `sizes` overrides the count of a recipe that is about to change. */
export function tooLarge(
  state: RulebookState,
  recipes: readonly string[],
  sizes: ReadonlyMap<string, number> = new Map(),
): boolean {
  const sizeOf = (id: string): number =>
    sizes.get(id) ?? state.recipes.get(id)?.current?.rules.length ?? 0
  return recipes.reduce((sum, id) => sum + sizeOf(id), 0) > flowRulesMax
}
