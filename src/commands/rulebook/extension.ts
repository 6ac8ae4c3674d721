/** What a recipe takes from the managed recipe it extends. */

import type {
  ManagedRecipeVersion,
  ManagedRulebook,
} from '../../events/rulebook/managedRulebook.ts'
import type { RecipeContent } from '../../events/rulebook/rulebook.ts'
import { bindingsOf, noParameters, type ParameterBindings } from './parameterBindings.ts'

/** What a recipe has of the managed recipe it extends. */
export interface Extension {
  /** Undefined for a recipe that extends none. */
  readonly base: ManagedRecipeVersion | undefined
  /** False once the operator has retired it: its rules are then named and unavailable. */
  readonly inForce: boolean
  readonly bindings: ParameterBindings
}

const none: Extension = { base: undefined, inForce: false, bindings: noParameters }

/** The extension of a recipe. */
export function extensionOf(
  managed: ManagedRulebook,
  { base_recipe_id, parameters }: Pick<RecipeContent, 'base_recipe_id' | 'parameters'>,
): Extension {
  const entry = base_recipe_id === undefined ? undefined : managed.recipes.get(base_recipe_id)
  if (!entry) return none
  const base = entry.current
  const bindings = entry.retired ? noParameters : bindingsOf(base.parameters, parameters)
  return { base, inForce: !entry.retired, bindings }
}
