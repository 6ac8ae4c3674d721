/** Declares the events of managed rules and recipes, with their schema, and folds them. */

import type { TypeOf } from '../../domain/jsonSchema.ts'
import type { ValueType } from '../../engine/language/expression.ts'
import { defineNonPersonalEvent, type EventOf } from '../recording/eventDefinition.ts'
import {
  integer,
  integerFrom,
  list,
  nonEmptyString,
  number,
  object,
  oneOf,
  text,
} from '../recording/eventSchema.ts'
import { expressionRef } from '../recording/expressionSchema.ts'

export interface ManagedResource<Version> {
  /** Undefined once retired. */
  readonly current: Version | undefined
  /** The current one, or the one that was retired: recipes that still name it report what they lack. */
  readonly last: Version
}

/** All managed rules and recipes; the fold mutates it. */
export interface ManagedRulebook {
  readonly rules: Map<string, ManagedResource<ManagedRuleVersion>>
  readonly recipes: Map<string, ManagedResource<ManagedRecipeVersion>>
  /** Version of the shipped set that was installed last; 0 for none. */
  setVersion: number
  /** Rises with every event folded. */
  generation: number
}

export function createManagedRulebook(): ManagedRulebook {
  return { rules: new Map(), recipes: new Map(), setVersion: 0, generation: 0 }
}

/** Folds one more event into the managed rulebook; mutates it. */
export function evolveManagedRulebook(
  state: ManagedRulebook,
  event: ManagedRulebookEvent,
): ManagedRulebook {
  state.generation += 1
  switch (event.type) {
    case 'ManagedRulePublished':
    case 'ManagedRuleRestored': {
      const { rule_id, ...version } = event.data
      state.rules.set(rule_id, { current: version, last: version })
      break
    }
    case 'ManagedRuleRetired':
      retire(state.rules, event.data.rule_id)
      break
    case 'ManagedRecipePublished':
    case 'ManagedRecipeRestored': {
      const { recipe_id, ...version } = event.data
      state.recipes.set(recipe_id, { current: version, last: version })
      break
    }
    case 'ManagedRecipeRetired':
      retire(state.recipes, event.data.recipe_id)
      break
    case 'ManagedSetInstalled':
      state.setVersion = event.data.version
      break
  }
  return state
}

function retire<Version>(entries: Map<string, ManagedResource<Version>>, id: string): void {
  const entry = entries.get(id)
  if (entry) entries.set(id, { current: undefined, last: entry.last })
}

/** The type that a parameter has in a rule. */
export const valueTypeByParameterType: Readonly<Record<ParameterType, ValueType>> = {
  BOOL: 'bool',
  INT: 'int',
  DOUBLE: 'double',
  STRING: 'string',
  ENUM: 'string',
}

/** Version of the shipped set that something came with; absent once the operator has written it, or brought it back. */
const shipped = integerFrom(1)
/** A parameter as a rule reads it: `param.<name>`. */
const ruleParameter = object({
  name: nonEmptyString,
  type: oneOf(['BOOL', 'INT', 'DOUBLE', 'STRING']),
})
/** A parameter as a recipe offers it. Its values are written as texts: `true`, `12`, `0.5`, `RU,BY`. */
const recipeParameter = object(
  {
    name: nonEmptyString,
    type: oneOf(['BOOL', 'INT', 'DOUBLE', 'STRING', 'ENUM']),
    default_value: text,
  },
  // bounds of an INT or DOUBLE, both included; what an ENUM may be
  { value_min: number, value_max: number, values: list(text) },
)
const membership = object(
  { rule_id: nonEmptyString, weight: integer },
  { preempts: oneOf(['FLAG', 'PASS']) },
)

const rule = {
  rule_id: nonEmptyString,
  version_id: nonEmptyString,
  // for the operator alone
  name: nonEmptyString,
  // what customers read
  description: nonEmptyString,
  text: nonEmptyString,
  expression: expressionRef,
  parameters: list(ruleParameter),
}
const recipe = {
  recipe_id: nonEmptyString,
  version_id: nonEmptyString,
  // what customers read
  description: nonEmptyString,
  threshold: integer,
  // how far an extending recipe may move the threshold, both included
  threshold_bounds: object({ min: integer, max: integer }),
  parameters: list(recipeParameter),
  rules: list(membership),
}

export const managedRulebookEvents = {
  ManagedRulePublished: defineNonPersonalEvent(rule, { shipped }),
  /** An earlier version is the current one again, under the id it has, because the operator says so. */
  ManagedRuleRestored: defineNonPersonalEvent(rule),
  ManagedRuleRetired: defineNonPersonalEvent({ rule_id: nonEmptyString }),
  /** The name is for the operator alone. */
  ManagedRecipePublished: defineNonPersonalEvent(recipe, { name: nonEmptyString, shipped }),
  ManagedRecipeRestored: defineNonPersonalEvent(recipe, { name: nonEmptyString }),
  ManagedRecipeRetired: defineNonPersonalEvent({ recipe_id: nonEmptyString }),
  /** The shipped set of this version has been installed. */
  ManagedSetInstalled: defineNonPersonalEvent({ version: shipped }),
}

export type ManagedRulebookEvent = EventOf<typeof managedRulebookEvents>
type Published<Type extends ManagedRulebookEvent['type']> = Extract<
  ManagedRulebookEvent,
  { type: Type }
>['data']

export type RuleParameter = TypeOf<typeof ruleParameter>
export type RecipeParameter = TypeOf<typeof recipeParameter>
export type ParameterType = RecipeParameter['type']
export type ManagedMembership = TypeOf<typeof membership>
type ManagedRuleVersion = Omit<Published<'ManagedRulePublished'>, 'rule_id'>
export type ManagedRecipeVersion = Omit<Published<'ManagedRecipePublished'>, 'recipe_id'>
export type ManagedRuleContent = Omit<ManagedRuleVersion, 'version_id' | 'shipped'>
export type ManagedRecipeContent = Omit<ManagedRecipeVersion, 'version_id' | 'shipped'>
