/** The rulebook family: streams `rulebook-{account}`. */

import type { Expression } from '../../engine/language/expression.ts'
import type { DomainEvent } from '../recording/event.ts'

export type RecipeStatus = 'DRAFT' | 'SHADOW' | 'LIVE' | 'INACTIVE'

export interface RuleContent {
  readonly name: string
  /** The rule as its author wrote it. */
  readonly text: string
  /** The rule as it runs. */
  readonly expression: Expression
}

/** A rule's place in a recipe; `version_id` pins a version of the rule. */
export interface Membership {
  readonly rule_id: string
  readonly weight: number
  readonly preempts?: 'FLAG' | 'PASS'
  readonly version_id?: string
}

export interface RecipeContent {
  readonly name: string
  readonly threshold: number
  /** Its own rules; those of the recipe it extends come before them. */
  readonly rules: readonly Membership[]
  /** The managed recipe it extends. */
  readonly base_recipe_id?: string
  /** Values of the parameters of that recipe, as texts; the others have their defaults. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Ids of the managed rules among `rules`; absent when there is none. */
  readonly managed?: readonly string[]
}

export interface FlowContent {
  readonly name: string
  /** Recipe ids, in order. */
  readonly recipes: readonly string[]
}

export type RulebookEvent =
  | DomainEvent<
      'RulePublished',
      RuleContent & { readonly rule_id: string; readonly version_id: string }
    >
  /** An earlier version is the current one again, under the id it has. */
  | DomainEvent<
      'RuleRestored',
      RuleContent & { readonly rule_id: string; readonly version_id: string }
    >
  | DomainEvent<'RuleRetired', { readonly rule_id: string }>
  | DomainEvent<
      'RecipePublished',
      RecipeContent & {
        readonly recipe_id: string
        readonly version_id: string
        readonly status: RecipeStatus
      }
    >
  /** With the status that the recipe has, which is no part of a version. */
  | DomainEvent<
      'RecipeRestored',
      RecipeContent & {
        readonly recipe_id: string
        readonly version_id: string
        readonly status: RecipeStatus
      }
    >
  | DomainEvent<'RecipeStatusSet', { readonly recipe_id: string; readonly status: RecipeStatus }>
  | DomainEvent<'RecipeRetired', { readonly recipe_id: string }>
  | DomainEvent<
      'FlowPublished',
      FlowContent & { readonly flow_id: string; readonly version_id: string }
    >
  | DomainEvent<
      'FlowRestored',
      FlowContent & { readonly flow_id: string; readonly version_id: string }
    >
  | DomainEvent<'FlowRetired', { readonly flow_id: string }>

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

/** Something published: its versions, the current one (undefined once retired), and who names it. */
export interface Entry<Version> {
  current: Version | undefined
  readonly versions: Map<string, Version>
  /** Ids of the current recipes (for a rule) or flows (for a recipe) that name it. */
  readonly referrers: Set<string>
}

export interface RecipeEntry extends Entry<RecipeVersion> {
  status: RecipeStatus
}

/** What is kept under ids. */
export interface Entries<Item> {
  readonly size: number
  readonly get: (id: string) => Item | undefined
  readonly has: (id: string) => boolean
  readonly set: (id: string, item: Item) => unknown
  /** In the order in which they were set first. */
  readonly keys: () => Iterable<string>
}

/** Everything an account has authored. Folded in place, since it may hold a hundred thousand rules. */
export interface RulebookState {
  readonly rules: Entries<Entry<RuleVersion>>
  readonly recipes: Entries<RecipeEntry>
  readonly flows: Entries<Entry<FlowVersion>>
  /** Rises with every event folded. */
  generation: number
}

/** A rulebook before its first event. */
export function emptyRulebook() {
  return {
    rules: new Map<string, Entry<RuleVersion>>(),
    recipes: new Map<string, RecipeEntry>(),
    flows: new Map<string, Entry<FlowVersion>>(),
    generation: 0,
  } satisfies RulebookState
}

/** The rule of a version, its expression read. */
export function ruleOf({ expression, ...version }: RuleVersion): RuleContent {
  return { ...version, expression: JSON.parse(expression) as Expression }
}

/** Folds one more event into the rulebook, in place. */
export function evolveRulebook(state: RulebookState, event: RulebookEvent): RulebookState {
  state.generation += 1
  switch (event.type) {
    case 'RulePublished':
    case 'RuleRestored':
      publishRule(state, event.data)
      break
    case 'RuleRetired':
      retire(state.rules.get(event.data.rule_id))
      break
    case 'RecipePublished':
    case 'RecipeRestored':
      publishRecipe(state, event.data)
      break
    case 'RecipeStatusSet':
      entryOf(state.recipes, event.data.recipe_id, newRecipe).status = event.data.status
      break
    case 'RecipeRetired':
      unrefer(state.rules, event.data.recipe_id, rulesOf(state, event.data.recipe_id))
      retire(state.recipes.get(event.data.recipe_id))
      break
    case 'FlowPublished':
    case 'FlowRestored':
      publishFlow(state, event.data)
      break
    case 'FlowRetired':
      unrefer(state.recipes, event.data.flow_id, recipesOf(state, event.data.flow_id))
      retire(state.flows.get(event.data.flow_id))
      break
  }
  return state
}

type Published<Type extends RulebookEvent['type']> = Extract<RulebookEvent, { type: Type }>['data']

function publishRule(state: RulebookState, data: Published<'RulePublished'>): void {
  const { rule_id, expression, ...version } = data
  const entry = entryOf(state.rules, rule_id, newEntry<RuleVersion>)
  publish(entry, { ...version, expression: JSON.stringify(expression) })
}

function publishRecipe(state: RulebookState, data: Published<'RecipePublished'>): void {
  const { recipe_id, status, ...version } = data
  unrefer(state.rules, recipe_id, rulesOf(state, recipe_id))
  const entry = entryOf(state.recipes, recipe_id, newRecipe)
  publish(entry, version)
  entry.status = status
  refer(state.rules, recipe_id, rulesOf(state, recipe_id))
}

function publishFlow(state: RulebookState, data: Published<'FlowPublished'>): void {
  const { flow_id, ...version } = data
  unrefer(state.recipes, flow_id, recipesOf(state, flow_id))
  publish(entryOf(state.flows, flow_id, newEntry<FlowVersion>), version)
  refer(state.recipes, flow_id, recipesOf(state, flow_id))
}

function newEntry<Version>(): Entry<Version> {
  return { current: undefined, versions: new Map(), referrers: new Set() }
}

function newRecipe(): RecipeEntry {
  return { ...newEntry<RecipeVersion>(), status: 'DRAFT' }
}

function entryOf<Item>(items: Entries<Item>, id: string, make: () => Item): Item {
  const found = items.get(id)
  if (found) return found
  const made = make()
  items.set(id, made)
  return made
}

function publish<Version extends { readonly version_id: string }>(
  entry: Entry<Version>,
  version: Version,
): void {
  entry.versions.set(version.version_id, version)
  entry.current = version
}

function retire(entry: Entry<unknown> | undefined): void {
  if (entry) entry.current = undefined
}

const rulesOf = (state: RulebookState, recipeId: string): readonly string[] =>
  (state.recipes.get(recipeId)?.current?.rules ?? []).map((member) => member.rule_id)

const recipesOf = (state: RulebookState, flowId: string): readonly string[] =>
  state.flows.get(flowId)?.current?.recipes ?? []

type Referred = Pick<Entries<Entry<unknown>>, 'get'>

function refer(items: Referred, referrer: string, ids: readonly string[]): void {
  for (const id of ids) items.get(id)?.referrers.add(referrer)
}

function unrefer(items: Referred, referrer: string, ids: readonly string[]): void {
  for (const id of ids) items.get(id)?.referrers.delete(referrer)
}
