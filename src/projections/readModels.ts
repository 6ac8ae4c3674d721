/** Every projection there is. A new one: its file beside this, a line here. */

import { accounts } from './accounts.ts'
import { evaluations } from './evaluations.ts'
import { flows } from './flows.ts'
import { managedRecipes } from './managedRecipes.ts'
import { managedRules } from './managedRules.ts'
import { managedUses } from './managedUses.ts'
import type { Projection } from './projection.ts'
import { recipes } from './recipes.ts'
import { rules } from './rules.ts'
import { ruleUsage } from './ruleUsage.ts'
import { subjectKeys } from './subjectKeys.ts'
import { versions } from './versions.ts'

export const readModels: readonly Projection[] = [
  accounts,
  rules,
  recipes,
  flows,
  evaluations,
  ruleUsage,
  subjectKeys,
  versions,
  managedRules,
  managedRecipes,
  managedUses,
]
