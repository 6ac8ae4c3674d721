/** The rulebook's part of the service: rules, recipes and flows of authors, and what the operator keeps for all of them. */

import type { Call, Page, PageRequest, Seen } from '../../domain/call.ts'
import type { Principal } from '../../domain/principal.ts'
import type {
  ManagedRecipeContent,
  RecipeParameter,
  RuleParameter,
} from '../../events/rulebook/managedRulebook.ts'
import type { Membership, RecipeStatus } from '../../events/rulebook/rulebook.ts'
import type { VersionedResource } from './versionedResource.ts'

export interface RuleInput {
  readonly name: string
  readonly expression: string
}

export interface RuleView extends RuleInput {
  readonly id: string
  readonly version_id: string
}

export interface RecipeInput {
  readonly name: string
  readonly status: RecipeStatus
  readonly threshold: number
  readonly rules: readonly Membership[]
  /** The managed recipe it extends. */
  readonly base_recipe_id?: string
  readonly parameters?: Readonly<Record<string, string | number | boolean>>
}

export interface RecipeView extends Omit<RecipeInput, 'parameters'> {
  readonly parameters?: Readonly<Record<string, string>>
  readonly id: string
  readonly version_id: string
}

export interface FlowInput {
  readonly name: string
  readonly recipes: readonly string[]
}

export interface FlowView extends FlowInput {
  readonly id: string
  readonly version_id: string
}

export interface ManagedRuleInput extends RuleInput {
  readonly description: string
  readonly parameters?: readonly RuleParameter[]
}

export interface ManagedRuleView extends Required<ManagedRuleInput> {
  readonly id: string
  readonly version_id: string
}

export interface ManagedRecipeInput extends Omit<ManagedRecipeContent, 'parameters'> {
  readonly parameters?: readonly (Omit<RecipeParameter, 'default_value'> & {
    readonly default_value: string | number | boolean
  })[]
}

export interface ManagedRecipeView extends ManagedRecipeContent {
  readonly id: string
  readonly version_id: string
}

/** A managed rule as customers see it: neither its name nor its expression. */
interface OfferedRuleView extends Pick<ManagedRuleView, 'id' | 'description'> {
  readonly type: 'MANAGED'
}

/** A managed recipe as customers see it: neither its name nor its rules. */
type OfferedRecipeView = Omit<ManagedRecipeView, 'version_id' | 'name' | 'rules'>

/** Managed rules or recipes, seen by the operator. `remove` is refused while a recipe of anybody's uses it. */
export type ManagedResource<Input, View> = VersionedResource<Input, View, Principal>

interface Managed {
  readonly rules: ManagedResource<ManagedRuleInput, ManagedRuleView>
  readonly recipes: ManagedResource<ManagedRecipeInput, ManagedRecipeView>
  readonly offeredRules: (call: Call, page: PageRequest) => Promise<Seen<Page<OfferedRuleView>>>
  readonly offeredRecipes: (call: Call, page: PageRequest) => Promise<Seen<Page<OfferedRecipeView>>>
}

/** A name that a rule can read, or, for callers' own, the form of such names. */
export interface SignalView {
  readonly name: string
  readonly type: string
  readonly meaning: string
  readonly sources: readonly string[]
  readonly needs_dispatch: boolean
}

/** Everything an author asks throws `access_not_enabled` for those who may not author. */
export interface RulebookPart {
  readonly rules: VersionedResource<RuleInput, RuleView>
  readonly recipes: VersionedResource<RecipeInput, RecipeView>
  readonly flows: VersionedResource<FlowInput, FlowView>
  readonly managed: Managed
  /** Every name that a rule can read, in the order of the guide. */
  readonly listSignals: (call: Call) => Promise<readonly SignalView[]>
}
