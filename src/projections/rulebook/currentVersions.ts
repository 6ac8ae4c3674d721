/** Projects the current version of every rule, recipe and flow, also of managed ones. */

import {
  type AuthoredRecipe,
  type AuthoredRule,
  authoredContentOf,
} from '../../events/rulebook/authoredContent.ts'
import type {
  ManagedRecipeContent,
  ManagedRuleContent,
} from '../../events/rulebook/managedRulebook.ts'
import type { FlowContent, RecipeStatus, RuleContent } from '../../events/rulebook/rulebook.ts'
import {
  isVersionEvent,
  subjectOf,
  type VersionedEvent,
} from '../../events/rulebook/versionEvents.ts'
import {
  type CreatedPosition,
  collectionOf,
  createdPosition,
  type DocumentCollection,
  defineProjection,
  type Projection,
} from '../running/projection.ts'

/** By the id of the rule, recipe or flow. */
type Current<Content> = Content &
  CreatedPosition & {
    /** The operator's own of what is managed. */
    readonly account: string
    readonly version_id: string
  }

function collection<Content extends object>(name: string): DocumentCollection<Current<Content>> {
  const indexes: readonly (readonly ('account' | 'made')[])[] = [['account', 'made']]
  return collectionOf<Current<Content>>({ projection: { name, version: 3 }, indexes })
}

export const ruleCollection = collection<AuthoredRule<RuleContent>>('rules')
export const recipeCollection = collection<AuthoredRecipe & { readonly status: RecipeStatus }>(
  'recipes',
)
export const flowCollection = collection<FlowContent>('flows')
export const managedRuleCollection = collection<AuthoredRule<ManagedRuleContent>>('managed_rules')
export const managedRecipeCollection = collection<ManagedRecipeContent>('managed_recipes')

export const rules = currentVersions(ruleCollection, versionsOf('Rule'))
export const recipes = currentVersions(recipeCollection, [
  ...versionsOf('Recipe'),
  'RecipeStatusSet',
])
export const flows = currentVersions(flowCollection, versionsOf('Flow'))
export const managedRules = currentVersions(managedRuleCollection, versionsOf('ManagedRule'))
export const managedRecipes = currentVersions(managedRecipeCollection, versionsOf('ManagedRecipe'))

function versionsOf<Noun extends 'Rule' | 'Recipe' | 'Flow' | 'ManagedRule' | 'ManagedRecipe'>(
  noun: Noun,
) {
  return [`${noun}Published`, `${noun}Restored`, `${noun}Retired`] as const
}

function currentVersions(
  collection: DocumentCollection<Current<object>>,
  handles: readonly VersionedEvent['type'][],
): Projection {
  return defineProjection<VersionedEvent, Current<object>>({
    name: collection.projection,
    version: collection.version,
    collections: [collection],
    handles,
    targets: ({ event }) => [{ collection, id: subjectOf(event) }],
    apply: (document, { event, metadata: { account }, position }) => {
      if (event.type === 'RecipeStatusSet') {
        if (!document) throw new Error(`recipe ${event.data.recipe_id} has a status but no version`)
        return { ...document, status: event.data.status }
      }
      if (!isVersionEvent(event)) return null
      const { version_id } = event.data
      const content = authoredContentOf(event)
      const common = { account, ...createdPosition(document, position) }
      return 'status' in event.data
        ? { ...common, version_id, status: event.data.status, ...content }
        : { ...common, ...content, version_id }
    },
  })
}
