/** Opens the rulebook's part of the service. */

import { extNames, readableNames } from '../../engine/language/names.ts'
import { authoredResources } from '../../queries/rulebook/authoredResources.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { openChangeRulebook } from './changeRulebook.ts'
import { openManaged } from './managed.ts'
import { guardManaged } from './managedGuard.ts'
import { openResourceCommands } from './resourceCommands.ts'
import { openResourceQueries } from './resourceQueries.ts'
import type { RulebookPart, SignalView } from './rulebookPart.ts'
import { assertAuthoring, authorsOf, kindsOf } from './rulebooks.ts'

const signals: readonly SignalView[] = [...readableNames, extNames].map(
  ({ needsDispatch, ...name }) => ({ ...name, needs_dispatch: needsDispatch }),
)

/** The managed rulebook must have been brought into memory before; see `openManagedSet`. */
export function openRulebookPart(context: ServiceContext): RulebookPart {
  const authors = authorsOf(context)
  const { ask } = context.heavyReads
  const { rules, recipes, flows } = authoredResources
  const kinds = kindsOf(context)
  return {
    rules: {
      ...guardManaged(context, 'rules', openResourceCommands(context, kinds.rules, authors)),
      ...openResourceQueries(
        context,
        { ...rules, list: (caller, asked) => ask(caller, 'listRules', asked) },
        authors,
      ),
    },
    recipes: {
      ...guardManaged(context, 'recipes', openResourceCommands(context, kinds.recipes, authors)),
      ...openResourceQueries(
        context,
        { ...recipes, list: (caller, asked) => ask(caller, 'listRecipes', asked) },
        authors,
      ),
    },
    flows: {
      ...openResourceCommands(context, kinds.flows, authors),
      ...openResourceQueries(
        context,
        { ...flows, list: (caller, asked) => ask(caller, 'listFlows', asked) },
        authors,
      ),
    },
    changeRulebook: openChangeRulebook(context),
    managed: openManaged(context),
    listSignals: openListSignals(context),
  }
}

/** Every name, in the order of the guide. Throws `access_not_enabled`. */
function openListSignals(context: ServiceContext): RulebookPart['listSignals'] {
  return async (call) => {
    await assertAuthoring(context, call)
    return signals
  }
}
