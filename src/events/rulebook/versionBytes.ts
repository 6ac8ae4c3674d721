/** What versions take in memory. */

import { weightOf } from '../../domain/weightOf.ts'
import type { RecipeVersion, RulebookState } from './rulebook.ts'
import { memberBytes } from './sharedMembers.ts'

/** About how much memory a version takes. */
export function versionBytes(state: Pick<RulebookState, 'rules'>, version: object): number {
  if (!('rules' in version)) return weightOf(version)
  const { rules, ...recipe } = version as RecipeVersion
  return weightOf(recipe) + memberBytes(state, rules)
}
