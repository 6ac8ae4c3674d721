/** Checks rules, patterns and asked calls of recipes and flows against their limits. */

import type { FailureDetail } from '../../domain/failure.ts'
import { listAskedCalls, mayAsk } from '../../engine/language/askedCalls.ts'
import type { Expression } from '../../engine/language/expression.ts'
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
import { getOrAddEntry } from '../../events/rulebook/updateRulebook.ts'
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

/** Problems of the rules of a recipe, alone and in the flows that name it. */
export function findRecipeLimitProblems(
  state: RulebookState,
  id: string,
  rules: readonly Membership[],
): readonly FailureDetail[] {
  const totals = sumByRecipeAndFlow(state, [id], { recipe: { id, rules } })
  return findLimitProblems(totals, [patternLimit, ...callLimits], 'rules')
}

/** Problems of the rules of a flow's recipes. */
export function findFlowLimitProblems(
  state: RulebookState,
  recipes: readonly string[],
): readonly FailureDetail[] {
  const total = { ...createTotalCounter(state, {})(recipes), flow: 'A flow' }
  return findLimitProblems([total], [patternLimit, ...callLimits], 'recipes')
}

/** Problems of a new current version of a rule in the recipes and flows that run it. */
export function findRuleLimitProblems(
  state: RulebookState,
  id: string,
  { text, expression }: RuleContent,
): readonly FailureDetail[] {
  const entry = state.rules.get(id)
  if (!entry?.current) return []
  const before = measureVersion(entry.current)
  const needs = measureRule(text, () => expression)
  const asksMore = [...needs.calls.keys()].some((call) => !before.calls.has(call))
  const checked = [
    ...(needs.patterns > before.patterns ? [patternLimit] : []),
    ...(asksMore ? callLimits : []),
  ]
  if (checked.length === 0) return []
  const totals = sumByRecipeAndFlow(state, [...entry.referrers.keys()], { rule: { id, needs } })
  return findLimitProblems(totals, checked, 'expression')
}

/** The problem of the patterns of the rules of a managed recipe together, at most one. */
export function findManagedPatternProblems(
  path: string,
  rules: readonly Pick<ManagedRuleContent, 'expression'>[],
): readonly FailureDetail[] {
  const patterns = rules.reduce((sum, { expression }) => sum + sumPatternSizes(expression), 0)
  return findLimitProblems([{ patterns, lookups: 0, countries: 0 }], [patternLimit], path)
}

/** What the rules of a recipe need together, or of the flow that is named. */
interface Total {
  readonly patterns: number
  readonly lookups: number
  readonly countries: number
  readonly flow?: string
}

/** The problem of the total; undefined when it is within the limit. */
type Limit = (total: Total) => string | undefined

const patternLimit: Limit = ({ patterns, flow }) => {
  const max = flow === undefined ? ruleLimits.recipePatterns : ruleLimits.flowPatterns
  if (patterns <= max) return undefined
  return flow === undefined
    ? `The patterns of a recipe come to a size of ${patterns}; at most ${max} fit.`
    : `${flow} would have patterns of a size of ${patterns}; at most ${max} fit.`
}

const lookupLimit: Limit = ({ lookups, flow = 'A recipe' }) =>
  lookups <= ruleLimits.planLookups
    ? undefined
    : `${flow} would ask lists ${lookups} times; at most ${ruleLimits.planLookups} different questions are answered, of which one for a network counts as ${networksWeight}.`

const countryLimit: Limit = ({ countries, flow = 'A recipe' }) =>
  countries <= ruleLimits.planLookups
    ? undefined
    : `${flow} would ask for ${countries} different countries of numbers; at most ${ruleLimits.planLookups} are answered.`

const callLimits = [lookupLimit, countryLimit]

/** By each limit the problem of the first total that is over it. */
function findLimitProblems(
  totals: readonly Total[],
  limits: readonly Limit[],
  path: string,
): readonly FailureDetail[] {
  return limits.flatMap((limit) => {
    const message = totals.map(limit).find((problem) => problem !== undefined)
    return message === undefined ? [] : [{ path, message }]
  })
}

interface RuleNeeds {
  /** Size of its patterns. */
  readonly patterns: number
  /**
   * The list of each lookup, undefined for `phoneCountry`, by the canonical text of the call: the same call counts
   * once, however many rules have it.
   */
  readonly calls: ReadonlyMap<string, string | undefined>
}

const noNeeds: RuleNeeds = { patterns: 0, calls: new Map() }

/** Of versions, which never change. */
const needsByVersion = new WeakMap<object, RuleNeeds>()

function measureVersion(version: RuleVersion): RuleNeeds {
  const found = needsByVersion.get(version)
  if (found) return found
  const made = measureRule(version.text, () => parseRuleVersion(version).expression)
  needsByVersion.set(version, made)
  return made
}

/** Reads the expression only of the few rules that have patterns or such calls: it is long to read. */
function measureRule(text: string, read: () => Expression): RuleNeeds {
  const asks = mayAsk(text)
  if (!asks && !text.includes('matches')) return noNeeds
  const expression = read()
  const calls = asks ? listAskedCalls(expression) : []
  return {
    patterns: sumPatternSizes(expression),
    calls: new Map(calls.map(({ name, list }) => [name, list])),
  }
}

/** A recipe, or the current version of a rule, as it is about to be. */
interface Changing {
  readonly recipe?: { readonly id: string; readonly rules: readonly Membership[] }
  readonly rule?: { readonly id: string; readonly needs: RuleNeeds }
}

function sumByRecipeAndFlow(
  state: RulebookState,
  recipes: readonly string[],
  changing: Changing,
): readonly Total[] {
  const totalOf = createTotalCounter(state, changing)
  const flows = new Set(
    recipes.flatMap((id) => [...(state.recipes.get(id)?.referrers.keys() ?? [])]),
  )
  return [
    ...recipes.map((id) => totalOf([id])),
    ...[...flows].map((id) => {
      const total = totalOf(state.flows.get(id)?.current?.recipes ?? [])
      return { ...total, flow: `The flow ${id}` }
    }),
  ]
}

/**
 * Weight of a lookup in a list of networks, which takes one query for each prefix length on the list: few on most
 * lists. With all 128 it takes about 260 microseconds, all lookups of a flow together less than seven milliseconds.
 */
const networksWeight = 4

/** A call, one object however many rules have it: a rule may be part of ten thousand flows, which are counted fast. */
interface CountedCall {
  readonly kind: 'lookups' | 'countries'
  readonly weight: number
  /** The number of the count it was last part of. */
  countedIn: number
}

/** Makes the function that sums up recipes as they will be; each recipe is read once. */
function createTotalCounter(state: RulebookState, { recipe: changed, rule }: Changing) {
  const kinds = indexListKinds(state)
  const calls = new Map<string, CountedCall>()
  const recipes = new Map<string, { patterns: number; calls: readonly CountedCall[] }>()
  let counts = 0

  const needsOfMember = ({ rule_id, version_id }: Membership): RuleNeeds => {
    if (rule?.id === rule_id && version_id === undefined) return rule.needs
    const entry = state.rules.get(rule_id)
    const version = version_id === undefined ? entry?.current : entry?.versions.get(version_id)
    // managed rules are compiled once for all accounts, and have no lookups: every account has lists of its own
    return version ? measureVersion(version) : noNeeds
  }
  const needsOfRecipe = (id: string) => {
    const rules = changed?.id === id ? changed.rules : state.recipes.get(id)?.current?.rules
    const needs = (rules ?? []).map(needsOfMember)
    const all = needs.flatMap((each) =>
      [...each.calls].map(([name, list]) => {
        const kind = list === undefined ? 'countries' : 'lookups'
        const weight = list !== undefined && kinds.get(list) === 'ip_range' ? networksWeight : 1
        return getOrAddEntry(calls, name, (): CountedCall => ({ kind, weight, countedIn: 0 }))
      }),
    )
    const patterns = needs.reduce((sum, each) => sum + each.patterns, 0)
    return { patterns, calls: [...new Set(all)] }
  }

  return (ids: readonly string[]): Total => {
    const total = { patterns: 0, lookups: 0, countries: 0 }
    counts += 1
    for (const id of ids) {
      const needs = getOrAddEntry(recipes, id, () => needsOfRecipe(id))
      total.patterns += needs.patterns
      for (const call of needs.calls) {
        if (call.countedIn === counts) continue
        call.countedIn = counts
        total[call.kind] += call.weight
      }
    }
    return total
  }
}
