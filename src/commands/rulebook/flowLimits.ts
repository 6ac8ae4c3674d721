/** Checks rules, patterns and list lookups of recipes and flows against their limits. */

import type { FailureDetail } from '../../domain/failure.ts'
import type { Expression } from '../../engine/language/expression.ts'
import { listInListLookups, mayUseLists } from '../../engine/language/inListLookups.ts'
import { ruleLimits } from '../../engine/language/ruleLimits.ts'
import { sumPatternSizes } from '../../engine/language/rulePatternSizes.ts'
import type { ManagedRuleContent } from '../../events/rulebook/managedRulebook.ts'
import {
  type Membership,
  parseRuleVersion,
  type RecipeContent,
  type RulebookState,
  type RuleContent,
  type RuleVersion,
} from '../../events/rulebook/rulebook.ts'
import { indexListKinds } from './namedListDecisions.ts'

/** Rules over all recipes of one flow: what one evaluation may cost and one plan may weigh. */
export const flowRulesMax = 2_000

/** Rules of one managed recipe. */
const managedRecipeRulesMax = 100

/** Rules that a recipe may run: one that extends a managed recipe counts as if that had all it may ever have. */
export function countRules(recipe: Pick<RecipeContent, 'rules' | 'base_recipe_id'>): number {
  return recipe.rules.length + (recipe.base_recipe_id === undefined ? 0 : managedRecipeRulesMax)
}

/** Counts the rules of the recipes; `sizes` overrides the count of a recipe that is about to change. */
export function exceedsFlowRules(
  state: RulebookState,
  recipes: readonly string[],
  sizes: ReadonlyMap<string, number> = new Map(),
): boolean {
  const sizeOf = (id: string): number => {
    const recipe = state.recipes.get(id)?.current
    return sizes.get(id) ?? (recipe ? countRules(recipe) : 0)
  }
  return recipes.reduce((sum, id) => sum + sizeOf(id), 0) > flowRulesMax
}

/** What a rule needs of the limits. */
interface RuleNeeds {
  /** Size of its patterns. */
  readonly patterns: number
  /** The list of each lookup, by its canonical text: the same lookup counts once, however many rules have it. */
  readonly lookups: ReadonlyMap<string, string>
}

const none: RuleNeeds = { patterns: 0, lookups: new Map() }

/** Of versions, which never change. */
const known = new WeakMap<object, RuleNeeds>()

function measureVersion(version: RuleVersion): RuleNeeds {
  const found = known.get(version)
  if (found) return found
  const made = measureRule(version.text, () => parseRuleVersion(version).expression)
  known.set(version, made)
  return made
}

/** Reads the expression only of the few rules that have patterns or lookups: it is long to read. */
function measureRule(text: string, read: () => Expression): RuleNeeds {
  const asks = mayUseLists(text)
  if (!asks && !text.includes('matches')) return none
  const expression = read()
  const lookups = asks ? listInListLookups(expression) : []
  return {
    patterns: sumPatternSizes(expression),
    lookups: new Map(lookups.map(({ name, list }) => [name, list])),
  }
}

/** Problems of the rules of a recipe, alone and in the flows that name it. */
export function recipeLimitProblems(
  state: RulebookState,
  id: string,
  rules: readonly Membership[],
): readonly FailureDetail[] {
  const totalOf = openTotals(state, { recipe: { id, rules } })
  return limitProblems({ state, totalOf, recipes: [id] }, [patternLimit, lookupLimit], 'rules')
}

/** Problems of the rules of a flow's recipes. */
export function flowLimitProblems(
  state: RulebookState,
  recipes: readonly string[],
): readonly FailureDetail[] {
  const total = openTotals(state, {})(recipes)
  const messages = [patternLimit, lookupLimit].flatMap((limit) => limit(total, 'A flow') ?? [])
  return messages.map((message) => ({ path: 'recipes', message }))
}

/** Problems of a new current version of a rule in the recipes and flows that run it. */
export function ruleLimitProblems(
  state: RulebookState,
  id: string,
  { text, expression }: RuleContent,
): readonly FailureDetail[] {
  const entry = state.rules.get(id)
  if (!entry?.current) return []
  const before = measureVersion(entry.current)
  const needs = measureRule(text, () => expression)
  const asksMore = [...needs.lookups.keys()].some((lookup) => !before.lookups.has(lookup))
  const checked = [
    ...(needs.patterns > before.patterns ? [patternLimit] : []),
    ...(asksMore ? [lookupLimit] : []),
  ]
  const totalOf = openTotals(state, { rule: { id, needs } })
  return limitProblems(
    { state, totalOf, recipes: [...entry.referrers.keys()] },
    checked,
    'expression',
  )
}

/** The problem of the patterns of the rules of a managed recipe together, at most one. */
export function managedPatternProblems(
  path: string,
  rules: readonly Pick<ManagedRuleContent, 'expression'>[],
): readonly FailureDetail[] {
  const patterns = rules.reduce((sum, { expression }) => sum + sumPatternSizes(expression), 0)
  const message = patternLimit({ patterns, lookups: 0 })
  return message === undefined ? [] : [{ path, message }]
}

/** What the rules of some recipes need together. */
interface Total {
  readonly patterns: number
  readonly lookups: number
}

/** The problem of a recipe with this total, or of the flow that is named; undefined when it is within the limit. */
type Limit = (total: Total, flow?: string) => string | undefined

const patternLimit: Limit = ({ patterns }, flow) => {
  if (flow === undefined) {
    if (patterns <= ruleLimits.recipePatterns) return undefined
    return `The patterns of a recipe come to a size of ${patterns}; at most ${ruleLimits.recipePatterns} fit.`
  }
  if (patterns <= ruleLimits.flowPatterns) return undefined
  return `${flow} would have patterns of a size of ${patterns}; at most ${ruleLimits.flowPatterns} fit.`
}

const lookupLimit: Limit = ({ lookups }, which = 'A recipe') =>
  lookups <= ruleLimits.planLookups
    ? undefined
    : `${which} would ask lists ${lookups} times; at most ${ruleLimits.planLookups} different questions are answered, of which one for a network counts as ${networksWeight}.`

interface Checked {
  readonly state: RulebookState
  readonly totalOf: ReturnType<typeof openTotals>
  readonly recipes: readonly string[]
}

/** By each limit the problem of the first recipe, or of the first flow that names one of them, that is over it. */
function limitProblems(
  { state, totalOf, recipes }: Checked,
  limits: readonly Limit[],
  path: string,
): readonly FailureDetail[] {
  return limits.flatMap((limit) => {
    for (const id of recipes) {
      const message = limit(totalOf([id]))
      if (message !== undefined) return [{ path, message }]
    }
    // each flow once, however many of the recipes it names
    const flows = new Set(
      recipes.flatMap((id) => [...(state.recipes.get(id)?.referrers.keys() ?? [])]),
    )
    for (const id of flows) {
      const total = totalOf(state.flows.get(id)?.current?.recipes ?? [])
      const message = limit(total, `The flow ${id}`)
      if (message !== undefined) return [{ path, message }]
    }
    return []
  })
}

/**
 * Weight of a lookup in a list of networks, which takes one query for each prefix length on the list: few on most lists. With all 128 it
 * takes about 260 microseconds, all lookups of a flow together less than seven milliseconds.
 */
const networksWeight = 4

/** A lookup, one object however many rules have it: a rule may be part of ten thousand flows, whose lookups are counted fast. */
interface Lookup {
  readonly weight: number
  /** The number of the count it was last part of. */
  countedIn: number
}

/** A recipe, or the current version of a rule, as it is about to be. */
interface Changing {
  readonly recipe?: { readonly id: string; readonly rules: readonly Membership[] }
  readonly rule?: { readonly id: string; readonly needs: RuleNeeds }
}

/** Makes the function that sums up recipes as they will be; each recipe is read once. */
function openTotals(state: RulebookState, { recipe: changed, rule }: Changing) {
  const kinds = indexListKinds(state)
  const lookups = new Map<string, Lookup>()
  const recipes = new Map<string, { patterns: number; lookups: readonly Lookup[] }>()
  let counts = 0

  const lookupOf = ([name, list]: readonly [string, string]): Lookup => {
    const weight = kinds.get(list) === 'ip_range' ? networksWeight : 1
    const lookup = lookups.get(name) ?? { weight, countedIn: 0 }
    lookups.set(name, lookup)
    return lookup
  }
  const needsOfMember = ({ rule_id, version_id }: Membership): RuleNeeds => {
    if (rule?.id === rule_id && version_id === undefined) return rule.needs
    const entry = state.rules.get(rule_id)
    const version = version_id === undefined ? entry?.current : entry?.versions.get(version_id)
    // managed rules are compiled once for all accounts, and have no lookups: every account has lists of its own
    return version ? measureVersion(version) : none
  }
  const needsOfRecipe = (id: string) => {
    const found = recipes.get(id)
    if (found) return found
    const rules = changed?.id === id ? changed.rules : state.recipes.get(id)?.current?.rules
    const needs = (rules ?? []).map(needsOfMember)
    const all = needs.flatMap((each) => [...each.lookups].map(lookupOf))
    const patterns = needs.reduce((sum, each) => sum + each.patterns, 0)
    const made = { patterns, lookups: [...new Set(all)] }
    recipes.set(id, made)
    return made
  }

  return (ids: readonly string[]): Total => {
    const total = { patterns: 0, lookups: 0 }
    counts += 1
    for (const needs of ids.map(needsOfRecipe)) {
      total.patterns += needs.patterns
      for (const lookup of needs.lookups) {
        if (lookup.countedIn === counts) continue
        lookup.countedIn = counts
        total.lookups += lookup.weight
      }
    }
    return total
  }
}
