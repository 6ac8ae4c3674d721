/** Projects the current version of every rule, recipe and flow, also of managed ones. */

import {
  type AuthoredRecipe,
  type AuthoredRule,
  pickAuthoredContent,
} from '../../events/rulebook/authoredContent.ts'
import type {
  ManagedRecipeContent,
  ManagedRuleContent,
} from '../../events/rulebook/managedRulebook.ts'
import type { FlowContent, RecipeStatus, RuleContent } from '../../events/rulebook/rulebook.ts'
import {
  isVersionEvent,
  type ResourceEvent,
  readResourceId,
} from '../../events/rulebook/versionEvents.ts'
import {
  type CreatedPosition,
  type DocumentCollection,
  defineCollection,
  defineProjection,
  keepCreatedPosition,
  type Projection,
} from '../running/projection.ts'

/** By the id of the rule, recipe or flow. */
type Current<Content> = Content &
  CreatedPosition & {
    /** The operator's own of what is managed. */
    readonly account: string
    readonly version_id: string
  }

function defineVersionCollection<Content extends object>(
  name: string,
): DocumentCollection<Current<Content>> {
  const indexes: readonly (readonly ('account' | 'made')[])[] = [['account', 'made']]
  return defineCollection<Current<Content>>({ projection: { name, version: 3 }, indexes })
}

export const ruleCollection = defineVersionCollection<AuthoredRule<RuleContent>>('rules')
export const recipeCollection = defineVersionCollection<
  AuthoredRecipe & { readonly status: RecipeStatus }
>('recipes')
export const flowCollection = defineVersionCollection<FlowContent>('flows')
export const managedRuleCollection =
  defineVersionCollection<AuthoredRule<ManagedRuleContent>>('managed_rules')
export const managedRecipeCollection =
  defineVersionCollection<ManagedRecipeContent>('managed_recipes')

export const rulesProjection = defineVersionProjection(ruleCollection, 'Rule')
export const recipesProjection = defineVersionProjection(recipeCollection, 'Recipe', [
  'RecipeStatusSet',
])
export const flowsProjection = defineVersionProjection(flowCollection, 'Flow')
export const managedRulesProjection = defineVersionProjection(managedRuleCollection, 'ManagedRule')
export const managedRecipesProjection = defineVersionProjection(
  managedRecipeCollection,
  'ManagedRecipe',
)

function defineVersionProjection(
  collection: DocumentCollection<Current<object>>,
  noun: 'Rule' | 'Recipe' | 'Flow' | 'ManagedRule' | 'ManagedRecipe',
  otherEventTypes: readonly ResourceEvent['type'][] = [],
): Projection {
  return defineProjection<ResourceEvent, Current<object>>({
    name: collection.projection,
    version: collection.version,
    collections: [collection],
    eventTypes: [`${noun}Published`, `${noun}Restored`, `${noun}Retired`, ...otherEventTypes],
    targets: ({ event }) => [{ collection, id: readResourceId(event) }],
    apply: (document, { event, metadata: { account }, position }) => {
      if (event.type === 'RecipeStatusSet') {
        if (!document) throw new Error(`recipe ${event.data.recipe_id} has a status but no version`)
        return { ...document, status: event.data.status }
      }
      if (!isVersionEvent(event)) return null
      const { version_id } = event.data
      const content = pickAuthoredContent(event)
      const common = { account, ...keepCreatedPosition(document, position) }
      return 'status' in event.data
        ? { ...common, version_id, status: event.data.status, ...content }
        : { ...common, ...content, version_id }
    },
  })
}
