/** Opens the rulebook's part of the service. */

import { authoredResources } from '../../queries/rulebook/authoredResources.ts'
import { managedRulebook, type ServiceContext } from '../opening/serviceContext.ts'
import { openChangeRulebook } from './changeRulebook.ts'
import { openListSignals } from './listSignals.ts'
import { openManaged } from './managed.ts'
import { guardManaged } from './managedGuard.ts'
import { openResourceCommands } from './resourceCommands.ts'
import { openResourceQueries } from './resourceQueries.ts'
import type { RulebookPart } from './rulebookPart.ts'
import { authorsOf, flowKind, recipeKind, ruleKind } from './rulebooks.ts'

/** The managed rulebook must have been brought into memory before; see `openManagedSet`. */
export function openRulebookPart(context: ServiceContext): RulebookPart {
  const authors = authorsOf(context)
  const recipes = recipeKind(managedRulebook(context))
  return {
    rules: {
      ...guardManaged(context, 'rules', openResourceCommands(context, ruleKind, authors)),
      ...openResourceQueries(context, authoredResources.rules, authors),
    },
    recipes: {
      ...guardManaged(context, 'recipes', openResourceCommands(context, recipes, authors)),
      ...openResourceQueries(context, authoredResources.recipes, authors),
    },
    flows: {
      ...openResourceCommands(context, flowKind, authors),
      ...openResourceQueries(context, authoredResources.flows, authors),
    },
    changeRulebook: openChangeRulebook(context),
    managed: openManaged(context),
    listSignals: openListSignals(context),
  }
}
