/** Every version of what authors and the operator keep: who made it and when, what it says, and whether it was made current again. */

import { type AuthoredRule, authoredRule } from '../../events/rulebook/authoredRule.ts'
import {
  type AuthoredRecipe,
  flowContent,
  managedRecipeContent,
  managedRuleContent,
  recipeContent,
  ruleContent,
} from '../../events/rulebook/contents.ts'
import type {
  ManagedEvent,
  ManagedRecipeContent,
  ManagedRuleContent,
} from '../../events/rulebook/managedRulebook.ts'
import type { FlowContent, RulebookEvent, RuleContent } from '../../events/rulebook/rulebook.ts'
import { defineProjection } from '../running/defineProjection.ts'
import { collectionOf } from '../running/projection.ts'

/** By `{id of the rule, recipe or flow}/{version id}`. They stay when the thing itself is deleted. */
export interface VersionDocument {
  readonly account: string
  /** Id of the rule, recipe or flow. */
  readonly of: string
  /** Position of the event that made it, by which versions are in order. */
  readonly made: number
  readonly version_id: string
  /** Milliseconds since the Unix epoch. */
  readonly created_at: number
  /** Token id, `operator`, or `service` for what ships with the product. */
  readonly created_by: string
  /** Of the last time it was made current again. */
  readonly restored_at?: number
  readonly restored_by?: string
  /** As who keeps it reads it, without what belongs to no version. */
  readonly content: VersionContent
}

export type VersionContent =
  | AuthoredRule<RuleContent>
  | AuthoredRecipe
  | FlowContent
  | AuthoredRule<ManagedRuleContent>
  | ManagedRecipeContent

const identity = { name: 'versions', version: 2 } as const
export const versionCollection = collectionOf<VersionDocument>({
  projection: identity,
  indexes: [['of', 'made']],
})

const handles = [
  'RulePublished',
  'RuleRestored',
  'RecipePublished',
  'RecipeRestored',
  'FlowPublished',
  'FlowRestored',
  'ManagedRulePublished',
  'ManagedRuleRestored',
  'ManagedRecipePublished',
  'ManagedRecipeRestored',
] as const

type VersionEvent = Extract<RulebookEvent | ManagedEvent, { type: (typeof handles)[number] }>

export const versions = defineProjection<VersionEvent, VersionDocument>({
  ...identity,
  collections: [versionCollection],
  handles,
  targets: ({ event }) => [
    { collection: versionCollection, id: `${subjectOf(event)}/${event.data.version_id}` },
  ],
  apply: (version, { event, metadata: { account, actor, time }, position }) => {
    if (version) return { ...version, restored_at: time, restored_by: actor }
    return {
      account,
      of: subjectOf(event),
      made: position,
      version_id: event.data.version_id,
      created_at: time,
      created_by: actor,
      content: contentOf(event),
    }
  },
})

function subjectOf({ data }: VersionEvent): string {
  if ('rule_id' in data) return data.rule_id
  return 'recipe_id' in data ? data.recipe_id : data.flow_id
}

function contentOf({ type, data }: VersionEvent): VersionContent {
  switch (type) {
    case 'RulePublished':
    case 'RuleRestored':
      return authoredRule(ruleContent(data))
    case 'RecipePublished':
    case 'RecipeRestored':
      return recipeContent(data)
    case 'FlowPublished':
    case 'FlowRestored':
      return flowContent(data)
    case 'ManagedRulePublished':
    case 'ManagedRuleRestored':
      return authoredRule(managedRuleContent(data))
    case 'ManagedRecipePublished':
    case 'ManagedRecipeRestored':
      return managedRecipeContent(data)
  }
}
