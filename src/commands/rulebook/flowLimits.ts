/** Checks the patterns and list lookups of rules against the limits of recipes and flows. */

import type { FailureDetail } from '../../domain/failure.ts'
import type { ListKind } from '../../domain/lists/lists.ts'
import type { Expression } from '../../engine/language/expression.ts'
import { listInListLookups, mayUseLists } from '../../engine/language/inListLookups.ts'
import { ruleLimits } from '../../engine/language/ruleLimits.ts'
import { sumPatternSizes } from '../../engine/language/rulePatternSizes.ts'
import type {
  ManagedMembership,
  ManagedRulebook,
  ManagedRuleContent,
} from '../../events/rulebook/managedRulebook.ts'
import {
  type Membership,
  parseRuleVersion,
  type RulebookState,
  type RuleContent,
  type RuleVersion,
} from '../../events/rulebook/rulebook.ts'
import { indexListKinds } from './namedListDecisions.ts'
import { flowsNaming } from './rulebookLimits.ts'

/** What a rule needs of the limits. */
interface Needs {
  /** Size of its patterns. */
  readonly patterns: number
  /** The list of each lookup, by its canonical text: the same lookup counts once, however many rules have it. */
  readonly lookups: ReadonlyMap<string, string>
}

const none: Needs = { patterns: 0, lookups: new Map() }

/** Of versions, which never change. */
const known = new WeakMap<object, Needs>()

function needsOf(version: RuleVersion): Needs {
  const found = known.get(version)
  if (found) return found
  const made = needsIn(version.text, () => parseRuleVersion(version).expression)
  known.set(version, made)
  return made
}

/** Reads the expression only of the few rules that have patterns or lookups: it is long to read. */
function needsIn(text: string, read: () => Expression): Needs {
  const asks = mayUseLists(text)
  if (!asks && !text.includes('matches')) return none
  const expression = read()
  return {
    patterns: sumPatternSizes(expression),
    lookups: new Map(
      asks ? listInListLookups(expression).map(({ name, list }) => [name, list]) : [],
    ),
  }
}

function memberNeeds(state: RulebookState, { rule_id, version_id }: Membership): Needs {
  const entry = state.rules.get(rule_id)
  const version = version_id === undefined ? entry?.current : entry?.versions.get(version_id)
  // managed rules are compiled once for all accounts, and have no lookups: every account has lists of its own
  return version ? needsOf(version) : none
}

/** Problems of the rules of a recipe, alone and in the flows that name it. */
export function recipeLimitProblems(
  state: RulebookState,
  recipeId: string,
  rules: readonly Membership[],
): readonly FailureDetail[] {
  const totals = openTotals(state, { recipeId, rules })
  return limitProblems(totals, [recipeId], [patternLimit, lookupLimit]).map(at('rules'))
}

/** Problems of the rules of a flow's recipes. */
export function flowLimitProblems(
  state: RulebookState,
  recipes: readonly string[],
): readonly FailureDetail[] {
  const total = openTotals(state).of(recipes)
  const messages = [patternLimit, lookupLimit].flatMap((limit) => limit(total, 'A flow') ?? [])
  return messages.map(at('recipes'))
}

/** Problems of a new current version of a rule in the recipes and flows that run it. */
export function ruleLimitProblems(
  state: RulebookState,
  ruleId: string,
  { text, expression }: RuleContent,
): readonly FailureDetail[] {
  const entry = state.rules.get(ruleId)
  if (!entry?.current) return []
  const before = needsOf(entry.current)
  const needs = needsIn(text, () => expression)
  const asksMore = [...needs.lookups.keys()].some((lookup) => !before.lookups.has(lookup))
  const checked = [
    ...(needs.patterns > before.patterns ? [patternLimit] : []),
    ...(asksMore ? [lookupLimit] : []),
  ]
  const totals = openTotals(state, { ruleId, needs })
  return limitProblems(totals, [...entry.referrers], checked).map(at('expression'))
}

/** Problems of the patterns of these managed rules together, with the new version of a rule where it is named. */
export function managedPatternProblems(
  { rules: managed }: ManagedRulebook,
  rules: readonly ManagedMembership[],
  made?: { readonly ruleId: string; readonly rule: Pick<ManagedRuleContent, 'expression'> },
): readonly string[] {
  const patterns = rules.reduce((sum, { rule_id }) => {
    const rule = rule_id === made?.ruleId ? made.rule : managed.get(rule_id)?.current
    return sum + (rule ? sumPatternSizes(rule.expression) : 0)
  }, 0)
  return [patternLimit({ patterns, lookups: 0 }) ?? []].flat()
}

function at(path: string): (message: string) => FailureDetail {
  return (message) => ({ path, message })
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

/** By each limit the problem of the first recipe, or of the first flow that names one of them, that is over it. */
function limitProblems(
  { state, of }: Totals,
  recipes: readonly string[],
  checked: readonly Limit[],
): readonly string[] {
  return checked.flatMap((limit) => {
    for (const id of recipes) {
      const problem = limit(of([id]))
      if (problem !== undefined) return [problem]
    }
    for (const flow of flowsNaming(state, recipes)) {
      const problem = limit(of(state.flows.get(flow)?.current?.recipes ?? []), `The flow ${flow}`)
      if (problem !== undefined) return [problem]
    }
    return []
  })
}

/** A recipe, or the current version of a rule, as it is about to be. */
type Made =
  | { readonly recipeId: string; readonly rules: readonly Membership[] }
  | { readonly ruleId: string; readonly needs: Needs }

interface Totals {
  readonly state: RulebookState
  readonly of: (recipes: readonly string[]) => Total
}

interface RecipeNeeds {
  readonly patterns: number
  readonly lookups: CountedLookups
}

/** Totals of recipes as they will be; each recipe is read once. */
function openTotals(state: RulebookState, made?: Made): Totals {
  const counter = openLookupCounter(indexListKinds(state))
  const read = new Map<string, RecipeNeeds>()
  const ofMember = (member: Membership): Needs =>
    made && 'ruleId' in made && member.rule_id === made.ruleId && member.version_id === undefined
      ? made.needs
      : memberNeeds(state, member)
  const ofRecipe = (id: string): RecipeNeeds => {
    const found = read.get(id)
    if (found) return found
    const isMade = made && 'recipeId' in made && made.recipeId === id
    const rules = isMade ? made.rules : (state.recipes.get(id)?.current?.rules ?? [])
    const needs = rules.map(ofMember)
    const patterns = needs.reduce((sum, each) => sum + each.patterns, 0)
    const counted = { patterns, lookups: counter.counted(needs.map(({ lookups }) => lookups)) }
    read.set(id, counted)
    return counted
  }
  const of = (recipes: readonly string[]): Total => {
    const needs = recipes.map(ofRecipe)
    return {
      patterns: needs.reduce((sum, { patterns }) => sum + patterns, 0),
      lookups: counter.weightOfAll(needs.map(({ lookups }) => lookups)),
    }
  }
  return { state, of }
}

/**
 * Weight of a lookup in a list of networks, which takes one query for each prefix length on the list: few on most lists. With all 128 it
 * takes about 260 microseconds, all lookups of a flow together less than seven milliseconds.
 */
const networksWeight = 4

/** The different lookups of a recipe, as numbers, and how much they weigh together. */
interface CountedLookups {
  readonly numbers: readonly number[]
  readonly weight: number
}

/** Counts different lookups by numbers, which is fast: a rule may be part of ten thousand flows that ask the same. */
function openLookupCounter(kinds: ReadonlyMap<string, ListKind>) {
  const numbers = new Map<string, number>()
  const weights: number[] = []
  /** By lookup the count it was last part of. */
  const lastCount: number[] = []
  let counts = 0
  const numberOf = (lookup: string, list: string): number => {
    const found = numbers.get(lookup)
    if (found !== undefined) return found
    numbers.set(lookup, weights.length)
    lastCount.push(0)
    return weights.push(kinds.get(list) === 'ip_range' ? networksWeight : 1) - 1
  }
  const weightOf = (all: readonly (readonly number[])[]): number => {
    counts += 1
    let sum = 0
    for (const each of all) {
      for (const number of each) {
        if (lastCount[number] === counts) continue
        lastCount[number] = counts
        sum += weights[number] ?? 0
      }
    }
    return sum
  }
  return {
    counted: (rules: readonly Needs['lookups'][]): CountedLookups => {
      const all = [
        ...new Set(rules.flatMap((lookups) => [...lookups].map((one) => numberOf(...one)))),
      ]
      return { numbers: all, weight: weightOf([all]) }
    },
    weightOfAll: (recipes: readonly CountedLookups[]): number => {
      const most = recipes.reduce((sum, { weight }) => sum + weight, 0)
      return most <= ruleLimits.planLookups ? most : weightOf(recipes.map((one) => one.numbers))
    },
  }
}
