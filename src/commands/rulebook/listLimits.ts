/** Rejects rules that together ask lists more often than an evaluation may. */

import type { FailureDetail } from '../../domain/failure.ts'
import type { ListKind } from '../../domain/lists/lists.ts'
import { limits } from '../../engine/language/limits.ts'
import { lookupsOf, mayAskLists } from '../../engine/language/lookups.ts'
import {
  type Membership,
  type RulebookState,
  type RuleContent,
  type RuleVersion,
  ruleOf,
} from '../../events/rulebook/rulebook.ts'
import { listKindsIn } from './namedLists.ts'
import { flowsNaming } from './rulebookLimits.ts'

/** What lists are asked, and which, by canonical text: the same question counts once, whoever asks it. */
type Questions = ReadonlyMap<string, string>

const none: Questions = new Map()

/**
 * For a list of networks an address is looked for once for each length of prefix that stands on it: with the few that lists have, so
 * many other questions are no dearer. With all 128 it takes about 260 microseconds, all of a flow together less than seven milliseconds, in
 * turns of the account.
 */
const networksWeight = 4

/** Of the versions that have been looked at; they never change. */
const known = new WeakMap<object, Questions>()

function questionsOf(version: RuleVersion): Questions {
  const found = known.get(version)
  if (found) return found
  // few rules ask lists, and an expression is long to read
  const made = mayAskLists(version.text) ? questionsIn(ruleOf(version)) : none
  known.set(version, made)
  return made
}

function questionsIn({ text, expression }: Pick<RuleContent, 'text' | 'expression'>): Questions {
  if (!mayAskLists(text)) return none
  return new Map(lookupsOf(expression).map(({ name, list }) => [name, list]))
}

/** Problems of the lists that the rules of a recipe ask, alone and in the flows that name it. */
export function recipeListProblems(
  state: RulebookState,
  recipeId: string,
  rules: readonly Membership[],
): readonly FailureDetail[] {
  const asking = openAsking(state, { recipeId, rules })
  return limitProblems(asking, [recipeId]).map((message) => ({ path: 'rules', message }))
}

/** Problems of the lists that the rules of a flow's recipes ask. */
export function flowListProblems(
  state: RulebookState,
  recipes: readonly string[],
): readonly FailureDetail[] {
  const asked = openAsking(state).byAll(recipes)
  return problemOf(asked, 'A flow').map((message) => ({ path: 'recipes', message }))
}

/** Problems of a new current version of a rule in the recipes and flows that run it. */
export function ruleListProblems(
  state: RulebookState,
  ruleId: string,
  content: RuleContent,
): readonly FailureDetail[] {
  const entry = state.rules.get(ruleId)
  if (!entry?.current) return []
  const before = questionsOf(entry.current)
  const questions = questionsIn(content)
  if ([...questions.keys()].every((question) => before.has(question))) return []
  const asking = openAsking(state, { ruleId, questions })
  return limitProblems(asking, [...entry.referrers]).map((message) => ({
    path: 'expression',
    message,
  }))
}

/** A recipe, or the current version of a rule, as it is about to be. */
type Made =
  | { readonly recipeId: string; readonly rules: readonly Membership[] }
  | { readonly ruleId: string; readonly questions: Questions }

interface Asking {
  readonly state: RulebookState
  /** How much the rules of these recipes ask. */
  readonly byAll: (recipes: readonly string[]) => number
}

/** What the rules of a recipe ask, as the numbers of its questions, and how much that is. */
interface RecipeQuestions {
  readonly numbers: readonly number[]
  readonly weight: number
}

/** The questions as they are, and as they will be; each recipe is looked at once. */
function openAsking(state: RulebookState, made?: Made): Asking {
  const numbering = openNumbering(listKindsIn(state))
  const seen = new Map<string, RecipeQuestions>()
  const byMember = ({ rule_id, version_id }: Membership): Questions => {
    if (made && 'ruleId' in made && rule_id === made.ruleId && version_id === undefined) {
      return made.questions
    }
    const entry = state.rules.get(rule_id)
    const version = version_id === undefined ? entry?.current : entry?.versions.get(version_id)
    // those that are managed ask none: every account has lists of its own
    return version ? questionsOf(version) : none
  }
  const byRecipe = (id: string): RecipeQuestions => {
    const found = seen.get(id)
    if (found) return found
    const isMade = made && 'recipeId' in made && made.recipeId === id
    const rules = isMade ? made.rules : (state.recipes.get(id)?.current?.rules ?? [])
    const asked = numbering.numbered(rules.map(byMember))
    seen.set(id, asked)
    return asked
  }
  return { state, byAll: (recipes) => numbering.weightOfAll(recipes.map(byRecipe)) }
}

/** Counts different questions by numbers: a rule may stand in a hundred thousand flows, each of which asks the same over and over. */
function openNumbering(kinds: ReadonlyMap<string, ListKind>) {
  const numbers = new Map<string, number>()
  const weights: number[] = []
  /** By question the count it was last part of. */
  const counted: number[] = []
  let counts = 0
  const numberOf = (question: string, list: string): number => {
    const found = numbers.get(question)
    if (found !== undefined) return found
    numbers.set(question, weights.length)
    counted.push(0)
    return weights.push(kinds.get(list) === 'ip_range' ? networksWeight : 1) - 1
  }
  const weightOf = (all: readonly (readonly number[])[]): number => {
    counts += 1
    let sum = 0
    for (const each of all) {
      for (const number of each) {
        if (counted[number] === counts) continue
        counted[number] = counts
        sum += weights[number] ?? 0
      }
    }
    return sum
  }
  return {
    numbered: (rules: readonly Questions[]): RecipeQuestions => {
      const all = new Set(rules.flatMap((asked) => [...asked].map((one) => numberOf(...one))))
      return { numbers: [...all], weight: weightOf([[...all]]) }
    },
    weightOfAll: (recipes: readonly RecipeQuestions[]): number => {
      const most = recipes.reduce((sum, { weight }) => sum + weight, 0)
      return most <= limits.planLookups ? most : weightOf(recipes.map((one) => one.numbers))
    },
  }
}

/** Of the first of the recipes, or of a flow that names one of them, that asks too often. */
function limitProblems({ state, byAll }: Asking, recipes: readonly string[]): readonly string[] {
  for (const id of recipes) {
    const found = problemOf(byAll([id]), 'A recipe')
    if (found.length > 0) return found
  }
  for (const flow of flowsNaming(state, recipes)) {
    const named = state.flows.get(flow)?.current?.recipes ?? []
    const full = problemOf(byAll(named), `The flow ${flow}`)
    if (full.length > 0) return full
  }
  return []
}

function problemOf(asked: number, which: string): readonly string[] {
  if (asked <= limits.planLookups) return []
  return [
    `${which} would ask lists ${asked} times; at most ${limits.planLookups} different questions are answered, of which one for a network counts as ${networksWeight}.`,
  ]
}
