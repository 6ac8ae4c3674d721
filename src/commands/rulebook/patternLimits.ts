/** Rejects rules whose patterns together are too large to compile for a recipe or a flow. */

import { Failure, type FailureDetail } from '../../domain/failure.ts'
import type { Expression } from '../../engine/language/expression.ts'
import { limits } from '../../engine/language/limits.ts'
import { patternsSize, tooLargePattern } from '../../engine/language/patternSizes.ts'
import {
  inForce,
  type ManagedMembership,
  type ManagedRulebook,
  type ManagedRuleContent,
} from '../../events/rulebook/managedRulebook.ts'
import {
  type Membership,
  type RulebookState,
  type RuleContent,
  type RuleVersion,
  ruleOf,
} from '../../events/rulebook/rulebook.ts'
import { flowsNaming } from './rulebookLimits.ts'

/** What the patterns of a rule come to. */
interface Patterns {
  readonly size: number
  /** Why the rule cannot be saved any more, where a version from before the limits is too large. */
  readonly tooLarge: string | undefined
}

const none: Patterns = { size: 0, tooLarge: undefined }

/** Of the versions that have been looked at; they never change. */
const known = new WeakMap<object, Patterns>()

function patternsOf(version: RuleVersion): Patterns {
  const found = known.get(version)
  if (found) return found
  // few rules have patterns, and an expression is long to read
  const made = version.text.includes('matches') ? read(ruleOf(version).expression) : none
  known.set(version, made)
  return made
}

function read(expression: Expression): Patterns {
  const found = tooLargePattern(expression)
  return {
    size: patternsSize(expression),
    tooLarge: found && `at ${found.at.join(':')} ${found.text}`,
  }
}

/** Throws `invalid_rule` for a version from before the limits of patterns that is too large for them. */
export function assertSavable({ expression }: Pick<RuleContent, 'expression'>): void {
  const found = tooLargePattern(expression)
  if (!found) return
  const [line, column] = found.at
  const message = `The expression cannot be saved any more: ${found.text}.`
  const details = [{ path: 'expression', message, line, column }]
  const why = 'The expression is larger than what may be saved now; see details.'
  throw new Failure('invalid_rule', why, { param: 'expression', details })
}

/** Problems of the patterns of the rules that a recipe names: of one rule, or of all together. */
export function recipePatternProblems(
  state: RulebookState,
  recipeId: string,
  rules: readonly Membership[],
): readonly FailureDetail[] {
  const tooLarge = rules.flatMap((member, index) => {
    const why = memberPatterns(state, member).tooLarge
    if (why === undefined) return []
    return [
      { path: `rules.${index}.rule_id`, message: `The rule is too large to be used: ${why}.` },
    ]
  })
  if (tooLarge.length > 0) return tooLarge
  const sizes = openSizes(state).with(recipeId, rules)
  return limitProblems(sizes, [recipeId]).map((message) => ({ path: 'rules', message }))
}

/** Problems of the patterns of the rules of a flow's recipes. */
export function flowPatternProblems(
  state: RulebookState,
  recipes: readonly string[],
): readonly FailureDetail[] {
  const tooLarge = recipes.flatMap((id, index) => {
    const members = state.recipes.get(id)?.current?.rules ?? []
    const member = members.find((each) => memberPatterns(state, each).tooLarge !== undefined)
    if (!member) return []
    const why = memberPatterns(state, member).tooLarge
    const message = `Its rule ${member.rule_id} is too large to be used: ${why}.`
    return [{ path: `recipes.${index}`, message }]
  })
  if (tooLarge.length > 0) return tooLarge
  const size = openSizes(state).ofFlow(recipes)
  return flowProblem(size, 'A flow').map((message) => ({ path: 'recipes', message }))
}

/** Problems of a new current version of a rule in the recipes and flows that run it. */
export function rulePatternProblems(
  state: RulebookState,
  ruleId: string,
  { expression }: RuleContent,
): readonly FailureDetail[] {
  const size = patternsSize(expression)
  const entry = state.rules.get(ruleId)
  if (!entry?.current || size <= patternsOf(entry.current).size) return []
  const sizes = openSizes(state, { ruleId, size })
  return limitProblems(sizes, [...entry.referrers]).map((message) => ({
    path: 'expression',
    message,
  }))
}

function memberPatterns(state: RulebookState, { rule_id, version_id }: Membership): Patterns {
  const entry = state.rules.get(rule_id)
  const version = version_id === undefined ? entry?.current : entry?.versions.get(version_id)
  // what is managed is compiled once for all accounts
  return version ? patternsOf(version) : none
}

/** A version of a rule that is about to be the current one. */
interface NewRule {
  readonly ruleId: string
  readonly size: number
}

interface Sizes {
  readonly state: RulebookState
  readonly ofRecipe: (id: string) => number
  readonly ofFlow: (recipes: readonly string[]) => number
  /** The same, with these rules in the recipe. */
  readonly with: (recipeId: string, rules: readonly Membership[]) => Sizes
}

/** Sizes as they are, and as they will be with the new rule; each recipe is looked at once. */
function openSizes(state: RulebookState, made?: NewRule): Sizes {
  const recipes = new Map<string, number>()
  const ofMembers = (rules: readonly Membership[]): number =>
    rules.reduce((sum, member) => {
      const isNew = member.rule_id === made?.ruleId && member.version_id === undefined
      return sum + (isNew ? made.size : memberPatterns(state, member).size)
    }, 0)
  const ofRecipe = (id: string): number => {
    const size = recipes.get(id) ?? ofMembers(state.recipes.get(id)?.current?.rules ?? [])
    recipes.set(id, size)
    return size
  }
  const sizes: Sizes = {
    state,
    ofRecipe,
    ofFlow: (ids) => ids.reduce((sum, id) => sum + ofRecipe(id), 0),
    with: (recipeId, rules) => {
      recipes.set(recipeId, ofMembers(rules))
      return sizes
    },
  }
  return sizes
}

/** Of the first of the recipes, or of a flow that names one of them, that is over the limit. */
function limitProblems(sizes: Sizes, recipes: readonly string[]): readonly string[] {
  for (const id of recipes) {
    const found = recipePatternsProblem(sizes.ofRecipe(id))
    if (found.length > 0) return found
  }
  for (const flow of flowsNaming(sizes.state, recipes)) {
    const named = sizes.state.flows.get(flow)?.current?.recipes ?? []
    const full = flowProblem(sizes.ofFlow(named), `The flow ${flow}`)
    if (full.length > 0) return full
  }
  return []
}

/** What is wrong with a recipe whose patterns come to this size. */
function recipePatternsProblem(size: number): readonly string[] {
  if (size <= limits.recipePatterns) return []
  return [
    `The patterns of a recipe come to a size of ${size}; at most ${limits.recipePatterns} fit.`,
  ]
}

function flowProblem(size: number, which: string): readonly string[] {
  if (size <= limits.flowPatterns) return []
  return [`${which} would have patterns of a size of ${size}; at most ${limits.flowPatterns} fit.`]
}

/** A version of a managed rule that is about to be the current one. */
interface NewManagedRule {
  readonly ruleId: string
  readonly rule: Pick<ManagedRuleContent, 'expression'>
}

/** Problems of the patterns of these rules together, with the new rule where it is named. */
export function managedPatternProblems(
  state: ManagedRulebook,
  rules: readonly ManagedMembership[],
  made?: NewManagedRule,
): readonly string[] {
  const size = rules.reduce((sum, { rule_id }) => {
    const rule = rule_id === made?.ruleId ? made.rule : inForce(state.rules, rule_id)
    return sum + (rule ? patternsSize(rule.expression) : 0)
  }, 0)
  return recipePatternsProblem(size)
}
