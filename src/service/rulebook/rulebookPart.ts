/** The rulebook's part of the service: rules, recipes and flows of authors, and what the operator keeps for all of them. */

import type { Call, Page, PageRequest, Seen } from '../../domain/call.ts'
import type { Principal } from '../../domain/principal.ts'
import type { ReadableName } from '../../engine/language/names.ts'
import type { RecipeParameter } from '../../events/rulebook/managedRulebook.ts'
import type { FlowDocument } from '../../projections/rulebook/flows.ts'
import type { ManagedRecipeDocument } from '../../projections/rulebook/managedRecipes.ts'
import type { ManagedRuleDocument } from '../../projections/rulebook/managedRules.ts'
import type { RecipeDocument } from '../../projections/rulebook/recipes.ts'
import type { RuleDocument } from '../../projections/rulebook/rules.ts'
import type { Shown } from '../../queries/reading/resourceReader.ts'
import type { RulebookChanging } from './rulebookChanges.ts'
import type { VersionedResource } from './versionedResource.ts'

/** What its author writes of it. */
type Written<View> = Omit<View, 'id' | 'version_id'>

export interface RuleView extends Shown<RuleDocument> {}
export interface RuleInput extends Written<RuleView> {}

/** The value of a parameter as it may be written; it is kept and answered as text. */
type ParameterValue = string | number | boolean

export interface RecipeView extends Shown<RecipeDocument> {}
export interface RecipeInput extends Omit<Written<RecipeView>, 'parameters'> {
  readonly parameters?: Readonly<Record<string, ParameterValue>>
}

export interface FlowView extends Shown<FlowDocument> {}
export interface FlowInput extends Written<FlowView> {}

export interface ManagedRuleView extends Shown<ManagedRuleDocument> {}
export interface ManagedRuleInput
  extends Omit<Written<ManagedRuleView>, 'parameters'>,
    Partial<Pick<ManagedRuleView, 'parameters'>> {}

export interface ManagedRecipeView extends Shown<ManagedRecipeDocument> {}
export interface ManagedRecipeInput extends Omit<Written<ManagedRecipeView>, 'parameters'> {
  readonly parameters?: readonly RecipeParameterInput[]
}
export interface RecipeParameterInput extends Omit<RecipeParameter, 'default_value'> {
  readonly default_value: ParameterValue
}

/** A managed rule as customers see it: neither its name nor its expression. */
export interface OfferedRuleView extends Pick<ManagedRuleView, 'id' | 'description'> {
  readonly type: 'MANAGED'
}

/** A managed recipe as customers see it: neither its name nor its rules. */
export type OfferedRecipeView = Omit<ManagedRecipeView, 'version_id' | 'name' | 'rules'>

/** Managed rules or recipes, seen by the operator. `remove` is refused while a recipe of anybody's uses it. */
export type ManagedResource<Input, View> = VersionedResource<Input, View, Principal>

interface Managed {
  readonly rules: ManagedResource<ManagedRuleInput, ManagedRuleView>
  readonly recipes: ManagedResource<ManagedRecipeInput, ManagedRecipeView>
  readonly offeredRules: (call: Call, page: PageRequest) => Promise<Seen<Page<OfferedRuleView>>>
  readonly offeredRecipes: (call: Call, page: PageRequest) => Promise<Seen<Page<OfferedRecipeView>>>
}

/** A name that a rule can read, or, for callers' own, the form of such names. */
export interface SignalView extends Omit<ReadableName, 'needsDispatch'> {
  readonly needs_dispatch: boolean
}

/** Everything an author asks throws `access_not_enabled` for those who may not author. */
export interface RulebookPart extends RulebookChanging {
  readonly rules: VersionedResource<RuleInput, RuleView>
  readonly recipes: VersionedResource<RecipeInput, RecipeView>
  readonly flows: VersionedResource<FlowInput, FlowView>
  readonly managed: Managed
  /** Every name that a rule can read, in the order of the guide. */
  readonly listSignals: (call: Call) => Promise<readonly SignalView[]>
}
