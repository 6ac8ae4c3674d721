/** Combines all managed rules and recipes that ship, with their version. */

import { type ShippedRecipe, shippedRecipes } from './recipes.ts'
import { type ShippedRule, shippedRules } from './rules.ts'

export interface ShippedSet {
  /** Raised with every change of a rule or recipe: the next start then takes the change over. */
  readonly version: number
  readonly rules: readonly ShippedRule[]
  readonly recipes: readonly ShippedRecipe[]
}

export const shippedSet: ShippedSet = { version: 2, rules: shippedRules, recipes: shippedRecipes }
