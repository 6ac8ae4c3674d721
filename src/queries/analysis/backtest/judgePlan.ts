/** Judges what a plan would have answered by the outcomes of its rules, known or not. */

import { isDeepStrictEqual } from 'node:util'
import type { PlanRun } from '../../../engine/compile/compilePlan.ts'
import { listAskedCalls } from '../../../engine/language/askedCalls.ts'
import { listCounters } from '../../../engine/language/counters.ts'
import type { Plan, PlannedRecipe, PlannedRule, PlannedRuleInfo } from '../../../engine/run/plan.ts'
import type { RecordedRecipe } from '../../../engine/run/recordResult.ts'
import { clampScore, type Verdict } from '../../../engine/run/result.ts'
import type { RecipeRun } from '../../../engine/run/runRecipe.ts'

/** `NOT_EVALUATED`: the verdict depends on what is not on record. */
export type Judged = Verdict | 'NOT_EVALUATED'

export interface Judgement {
  readonly verdict: Judged
  /** Whether a rule of a live recipe was not evaluated. */
  readonly isPartial: boolean
}

/** The letter of a rule of which is not known how it would have come out; the others are those of records. */
const unknown = '?'

/** For each recipe one letter a rule, in order, as `RecordedRecipe.outcomes` has them, or `?`. */
export type Letters = readonly string[]

type RecordedLetters = Pick<RecordedRecipe, 'outcomes' | 'skipped'>

/** The verdict of the live recipes, and `NOT_EVALUATED` where the rules of unknown outcome could turn it. */
export function judgeLetters(plan: Plan<PlannedRuleInfo>, letters: Letters): Judgement {
  let verdict: Judged = 'PASS'
  let isPartial = false
  for (const [at, recipe] of plan.recipes.entries()) {
    if (recipe.status !== 'LIVE') continue
    const found = judgeRecipe(recipe, letters[at] ?? '')
    isPartial ||= found.isPartial
    if (found.verdict === 'FLAG' || verdict === 'PASS') verdict = found.verdict
    else if (verdict !== 'FLAG') verdict = 'NOT_EVALUATED'
  }
  return { verdict, isPartial }
}

function judgeRecipe(
  { rules, threshold }: PlannedRecipe<PlannedRuleInfo>,
  letters: string,
): Judgement {
  const decisive = rules.findIndex(({ preempts }, at) => preempts && letters.charAt(at) === 'T')
  const ran = decisive < 0 ? letters : letters.slice(0, decisive + 1)
  const { overriding, least, most } = findOpenEnds(rules, ran)
  const sums = decisive < 0 ? [least, most] : []
  const byScore = sums.map((sum) => (clampScore(Number(sum)) >= threshold ? 'FLAG' : 'PASS'))
  const [verdict = 'PASS', other] = new Set([...overriding, ...byScore])
  return { verdict: other ? 'NOT_EVALUATED' : verdict, isPartial: /[^TN]/.test(ran) }
}

/** What may come of the rules that triggered, or may have. */
interface OpenEnds {
  /** What those that override say. */
  readonly overriding: Verdict[]
  /** Sums of weights of the others; exact, as weights may be beyond the integers that add up exactly. */
  least: bigint
  most: bigint
}

function findOpenEnds(rules: readonly PlannedRuleInfo[], ran: string): OpenEnds {
  const ends: OpenEnds = { overriding: [], least: 0n, most: 0n }
  for (let at = 0; at < ran.length; at += 1) {
    const letter = ran.charAt(at)
    const rule = letter === 'T' || letter === unknown ? rules[at] : undefined
    if (rule) addOpenEnd(ends, rule, letter === unknown)
  }
  return ends
}

function addOpenEnd(
  ends: OpenEnds,
  { weight, preempts }: PlannedRuleInfo,
  isUnknown: boolean,
): void {
  // one that overrides decides by itself if it triggers
  if (preempts) {
    ends.overriding.push(preempts)
    return
  }
  ends.least += BigInt(isUnknown ? Math.min(weight, 0) : weight)
  ends.most += BigInt(isUnknown ? Math.max(weight, 0) : weight)
}

/** The letters of a run over evidence that does not answer the `open` calls. */
export function readRunLetters({ runs }: PlanRun, open: ReadonlySet<string>): Letters {
  return runs.map((run) => {
    const waiting = run.waiting.values()
    const letters = run.answers.map(({ letter }, at) => {
      const { missing = [] } = (letter === 'M' && waiting.next().value) || {}
      // a name that did not arrive would have kept the rule from being evaluated whatever is answered; a rule is
      // unavailable while its counter is not answered
      const mayBeOpen =
        letter === 'M'
          ? missing.every(({ reason }) => reason === 'function_failed')
          : letter === 'U'
      return mayBeOpen && asksOne(run, at, open) ? unknown : letter
    })
    return letters.join('')
  })
}

function asksOne({ recipe }: RecipeRun, at: number, open: ReadonlySet<string>): boolean {
  const expression = recipe.rules[at]?.planned.expression
  if (!expression || open.size === 0) return false
  const asked = [...listAskedCalls(expression), ...listCounters(expression)]
  return asked.some(({ name }) => open.has(name))
}

/**
 * Reads the letters of the plan's rules from records of another plan: of the recipes of the same id, rules in the same
 * version. What a rule would have said behind one that decided the verdict is on record, too.
 */
export function openRecordLetters(
  plan: Plan,
  recorded: Plan,
): (recipes: readonly RecordedLetters[]) => Letters {
  const places = plan.recipes.map((recipe) => {
    const index = recorded.recipes.findIndex(({ recipe_id }) => recipe_id === recipe.recipe_id)
    const rules = plan.semantics === recorded.semantics ? recorded.recipes[index]?.rules : undefined
    const at = new Map((rules ?? []).map((rule, ruleIndex) => [rule.rule_id, ruleIndex]))
    return { index, rules: recipe.rules.map((rule) => findPlace(rule, rules, at)) }
  })
  return (recipes) =>
    places.map(({ index, rules }) => {
      const letters = readAllLetters(recipes[index])
      let own = ''
      for (const place of rules) own += letters[place] ?? unknown
      return own
    })
}

/** -1 where the rule did not run as it is. */
function findPlace(
  rule: PlannedRule,
  rules: readonly PlannedRule[] | undefined,
  at: ReadonlyMap<string, number>,
): number {
  const place = at.get(rule.rule_id) ?? -1
  const other = rules?.[place]
  const isSame =
    other?.version_id === rule.version_id && isDeepStrictEqual(other.expression, rule.expression)
  return isSame ? place : -1
}

function readAllLetters(recipe: RecordedLetters | undefined): string | readonly string[] {
  if (!recipe?.skipped) return recipe?.outcomes ?? ''
  const skipped = recipe.skipped[Symbol.iterator]()
  return [...recipe.outcomes].map((letter) =>
    letter === 'S' ? (skipped.next().value ?? unknown) : letter,
  )
}
