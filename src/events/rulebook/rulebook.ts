/** Declares the events of an account's rulebook, their schema and fold. */

import { managedAccountId } from '../../domain/ids.ts'
import type { TypeOf } from '../../domain/jsonSchema.ts'
import type { Expression } from '../../engine/language/expression.ts'
import { defineNonPersonalEvent, type EventOf } from '../recording/eventDefinition.ts'
import {
  integer,
  list,
  mapOf,
  nonEmptyString,
  object,
  oneOf,
  text,
} from '../recording/eventSchema.ts'
import { expressionRef } from '../recording/expressionSchema.ts'
import type { KeptSeriesMap } from './keptSeries.ts'
import { evolveNamedLists, type NamedList, namedListEvents } from './namedListEvents.ts'
import {
  addSize,
  createEntry,
  createRecipe,
  createRule,
  getOrAddEntry,
  type References,
  removeUnusedVersion,
  removeVersion,
  storeVersion,
  updateReferences,
} from './updateRulebook.ts'

export interface RuleVersion extends Omit<RuleContent, 'expression'> {
  readonly version_id: string
  /** JSON text of the expression: a rulebook may hold a hundred thousand, few of which run. */
  readonly expression: string
}

export interface RecipeVersion extends RecipeContent {
  readonly version_id: string
}

export interface FlowVersion extends FlowContent {
  readonly version_id: string
}

/** A published rule, recipe or flow. */
export interface RulebookEntry<Version> {
  /** Undefined once retired. */
  current: Version | undefined
  /**
   * The current recipes (for a rule) or flows (for a recipe) that name it, by id, each with the version that it pins.
   */
  readonly referrers: Map<string, string | undefined>
}

export interface RuleEntry extends RulebookEntry<RuleVersion> {
  /** The current one, and those that recipes pin. */
  readonly versions: Map<string, RuleVersion>
}

export interface RecipeEntry extends RulebookEntry<RecipeVersion> {
  status: RecipeStatus
}

/** A map by id, or a branch of one. */
export interface RulebookEntryMap<Item> {
  readonly size: number
  readonly get: (id: string) => Item | undefined
  readonly has: (id: string) => boolean
  readonly set: (id: string, item: Item) => unknown
  /** In the order in which they were set first. */
  readonly keys: () => Iterable<string>
}

export interface RulebookSize {
  /** Places of rules in recipes. */
  memberships: number
  /** Characters of names, of the texts of rules and of parameters. */
  text: number
  /** Characters of rules as they run. */
  compiled: number
}

/** Everything an account has authored. The fold mutates it, since it may have a hundred thousand rules. */
export interface RulebookState {
  readonly rules: RulebookEntryMap<RuleEntry>
  readonly recipes: RulebookEntryMap<RecipeEntry>
  readonly flows: RulebookEntryMap<RulebookEntry<FlowVersion>>
  /** The lists that rules may name, by id. */
  readonly lists: Map<string, NamedList>
  /** The series of counters that current and pinned versions of its rules have. */
  readonly counters: KeptSeriesMap
  /** How much the versions in memory come to. */
  readonly size: RulebookSize
  /** Rises with every event folded. */
  generation: number
}

export function rulebookStream(account: string): string {
  return `rulebook-${account}`
}

/** The one stream of managed rules and recipes. */
export const managedStream = rulebookStream(managedAccountId)

export function createRulebook() {
  return {
    rules: new Map<string, RuleEntry>(),
    recipes: new Map<string, RecipeEntry>(),
    flows: new Map<string, RulebookEntry<FlowVersion>>(),
    lists: new Map<string, NamedList>(),
    counters: new Map(),
    size: { memberships: 0, text: 0, compiled: 0 },
    generation: 0,
  } satisfies RulebookState
}

/** The rule of a version, its expression read. */
export function parseRuleVersion({
  expression,
  ...version
}: RuleVersion): RuleContent & Pick<RuleVersion, 'version_id'> {
  return { ...version, expression: JSON.parse(expression) as Expression }
}

/** Folds one more event into the rulebook; mutates it. */
export function evolveRulebook(state: RulebookState, event: RulebookEvent): RulebookState {
  state.generation += 1
  switch (event.type) {
    case 'RulePublished':
    case 'RuleRestored':
      publishRule(state, event.data)
      break
    case 'RuleRetired': {
      const entry = getOrAddEntry(state.rules, event.data.rule_id, createRule)
      if (entry.current) removeVersion(state, entry, entry.current.version_id)
      entry.current = undefined
      break
    }
    case 'RecipePublished':
    case 'RecipeRestored': {
      const { recipe_id, status, pinned = [], ...version } = event.data
      for (const one of pinned) addPinnedVersion(state, one)
      setRecipe(state, recipe_id, version).status = status
      break
    }
    case 'RecipeStatusSet':
      getOrAddEntry(state.recipes, event.data.recipe_id, createRecipe).status = event.data.status
      break
    case 'RecipeRetired':
      setRecipe(state, event.data.recipe_id, undefined)
      break
    case 'FlowPublished':
    case 'FlowRestored': {
      const { flow_id, ...version } = event.data
      setFlow(state, flow_id, version)
      break
    }
    case 'FlowRetired':
      setFlow(state, event.data.flow_id, undefined)
      break
    default:
      evolveNamedLists(state.lists, event)
  }
  return state
}

function publishRule(state: RulebookState, data: Published<'RulePublished'>): void {
  const { rule_id } = data
  const entry = getOrAddEntry(state.rules, rule_id, createRule)
  const before = entry.current
  entry.current = toRuleVersion(data)
  storeVersion(state, entry, entry.current)
  if (before) removeUnusedVersion(state, rule_id, before.version_id)
}

/** Stores a version that a recipe pins, unless it is stored already. */
function addPinnedVersion(state: RulebookState, pinned: RecordedRuleVersion): void {
  const entry = state.rules.get(pinned.rule_id)
  if (!entry || entry.versions.has(pinned.version_id)) return
  storeVersion(state, entry, toRuleVersion(pinned))
}

/** A version as stored in memory, from the event that contains it. */
export function toRuleVersion(data: RecordedRuleVersion): RuleVersion {
  const { rule_id: _, expression, ...version } = data
  return { ...version, expression: JSON.stringify(expression) }
}

/** Makes the version the current one of the recipe; undefined retires it. */
function setRecipe(
  state: RulebookState,
  id: string,
  version: RecipeVersion | undefined,
): RecipeEntry {
  const entry = getOrAddEntry(state.recipes, id, createRecipe)
  const before = listMemberReferences(entry.current)
  setCurrent(state, entry, version)
  updateReferences(state, state.rules, { by: id, before, after: listMemberReferences(version) })
  return entry
}

/** Makes the version the current one of the flow; undefined retires it. */
function setFlow(state: RulebookState, id: string, version: FlowVersion | undefined): void {
  const entry = getOrAddEntry(state.flows, id, createEntry<FlowVersion>)
  const before = listRecipeReferences(entry.current)
  setCurrent(state, entry, version)
  updateReferences(state, state.recipes, { by: id, before, after: listRecipeReferences(version) })
}

function setCurrent<Version extends RecipeVersion | FlowVersion>(
  state: RulebookState,
  entry: RulebookEntry<Version>,
  version: Version | undefined,
): void {
  addSize(state, entry.current, -1)
  addSize(state, version, 1)
  entry.current = version
}

function listMemberReferences(recipe: RecipeVersion | undefined): References {
  return new Map(recipe?.rules.map(({ rule_id, version_id }) => [rule_id, version_id]))
}

function listRecipeReferences(flow: FlowVersion | undefined): References {
  return new Map(flow?.recipes.map((id) => [id, undefined]))
}

const status = oneOf(['DRAFT', 'SHADOW', 'LIVE', 'INACTIVE'])
/** `version_id` pins a version of the rule. */
const membership = object(
  { rule_id: nonEmptyString, weight: integer },
  { preempts: oneOf(['FLAG', 'PASS']), version_id: nonEmptyString },
)

/** `text` is the rule as its author wrote it, `expression` as it runs. */
const ruleVersion = {
  rule_id: nonEmptyString,
  version_id: nonEmptyString,
  name: nonEmptyString,
  text: nonEmptyString,
  expression: expressionRef,
}
const rulePublished = defineNonPersonalEvent(ruleVersion)
const recipePublished = defineNonPersonalEvent(
  {
    recipe_id: nonEmptyString,
    version_id: nonEmptyString,
    name: nonEmptyString,
    status,
    threshold: integer,
    // its own; those of the recipe it extends come before them
    rules: list(membership),
  },
  {
    // the managed recipe it extends, and values of its parameters, as texts; the others have their defaults
    base_recipe_id: nonEmptyString,
    parameters: mapOf(text),
    // ids of the managed rules among `rules`; absent when there is none
    managed: list(nonEmptyString),
    // the versions that `rules` pin, each in full, so that the recipe runs without earlier events
    pinned: list(object(ruleVersion)),
  },
)
const flowPublished = defineNonPersonalEvent({
  flow_id: nonEmptyString,
  version_id: nonEmptyString,
  name: nonEmptyString,
  recipes: list(nonEmptyString),
})

export const rulebookEvents = {
  RulePublished: rulePublished,
  /** An earlier version is the current one again, under the id it has. */
  RuleRestored: rulePublished,
  RuleRetired: defineNonPersonalEvent({ rule_id: nonEmptyString }),
  RecipePublished: recipePublished,
  /** With the status that the recipe has, which is no part of a version. */
  RecipeRestored: recipePublished,
  RecipeStatusSet: defineNonPersonalEvent({ recipe_id: nonEmptyString, status }),
  RecipeRetired: defineNonPersonalEvent({ recipe_id: nonEmptyString }),
  FlowPublished: flowPublished,
  FlowRestored: flowPublished,
  FlowRetired: defineNonPersonalEvent({ flow_id: nonEmptyString }),
  ...namedListEvents,
}

export type RulebookEvent = EventOf<typeof rulebookEvents>
type Published<Type extends RulebookEvent['type']> = Extract<RulebookEvent, { type: Type }>['data']

export type RecipeStatus = TypeOf<typeof status>
export type Membership = TypeOf<typeof membership>
/** A version of a rule as events contain it. */
export type RecordedRuleVersion = Published<'RulePublished'>
export type RuleContent = Omit<Published<'RulePublished'>, 'rule_id' | 'version_id'>
export type RecipeContent = Omit<
  Published<'RecipePublished'>,
  'recipe_id' | 'version_id' | 'status' | 'pinned'
>
export type FlowContent = Omit<Published<'FlowPublished'>, 'flow_id' | 'version_id'>
