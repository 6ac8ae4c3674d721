/** Computes whether missing evidence could turn a verdict, and which rules turn it alone. */

import type { PlannedRecipe, PlannedRuleInfo } from './plan.ts'
import { clampScore, type Verdict } from './result.ts'

type AssessedRule = Pick<PlannedRuleInfo, 'weight' | 'preempts'>

/** What of a recipe in a plan decides its verdict. */
interface AssessedRecipe extends Pick<PlannedRecipe, 'threshold'> {
  readonly rules: readonly AssessedRule[]
}

/** What of a recipe's record says how its verdict came about, see `RecordedRecipe`. */
interface AssessedRecord {
  readonly verdict: Verdict
  readonly outcomes: string
  readonly skipped?: string
}

/** What absent fields mean: the score is certain, no evidence could turn the verdict, and no rule turns it alone. */
export interface Assessment {
  /**
   * The smallest and largest score that the rules not evaluated allow while none of them overrides; only where they
   * differ, and no rule has overridden the score.
   */
  readonly bounds?: readonly [min: number, max: number]
  /** Whether some outcome of the rules that were not evaluated gives the recipe another verdict. */
  readonly fragile?: true
  /** Indexes of the rules, in order, without any one of which the verdict of the recipe would be another. */
  readonly alone?: readonly number[]
}

/** A sum of weights, exact: beyond the safe integers it is a bigint. */
type Sum = number | bigint

function addExactly(sum: Sum, weight: number): Sum {
  if (typeof sum === 'bigint') return sum + BigInt(weight)
  const total = sum + weight
  return Number.isSafeInteger(total) ? total : BigInt(sum) + BigInt(weight)
}

/** The recipe's sums over its rules up to the one that overrides the score. */
interface Sums {
  triggered: Sum
  /** The weights below and above 0 of rules that were not evaluated and do not override. */
  below: Sum
  above: Sum
  /** Verdicts of overriding rules that were not evaluated. */
  mayOverride: Verdict[]
  /** Indexes of the rules that triggered. */
  at: number[]
  /** The index of the rule that overrides the score. */
  decisive: number | undefined
}

/** The assessment of a recorded verdict: each rule that was not evaluated could have triggered, or not, by itself. */
export function assessVerdict(recipe: AssessedRecipe, record: AssessedRecord): Assessment {
  const sums = sumOutcomes(recipe, record)
  const alone = listAlone(recipe, record, sums)
  const bounds = sums.decisive === undefined ? findBounds(sums) : undefined
  const isFragile =
    sums.mayOverride.some((verdict) => verdict !== record.verdict) ||
    bounds?.some((score) => verdictOf(recipe, score) !== record.verdict)
  return {
    ...(bounds && bounds[0] !== bounds[1] && { bounds }),
    ...(isFragile && { fragile: true }),
    ...(alone.length > 0 && { alone }),
  }
}

function sumOutcomes({ rules }: AssessedRecipe, { outcomes }: AssessedRecord): Sums {
  const sums: Sums = {
    triggered: 0,
    below: 0,
    above: 0,
    mayOverride: [],
    at: [],
    decisive: undefined,
  }
  for (let at = 0; at < outcomes.length; at++) {
    const letter = outcomes[at]
    if (letter === 'N') continue
    // the rules behind the one that overrides
    if (letter === 'S') break
    const rule = rules[at] as AssessedRule
    if (letter !== 'T') {
      addUnevaluated(sums, rule)
      continue
    }
    sums.at.push(at)
    sums.triggered = addExactly(sums.triggered, rule.weight)
    if (rule.preempts) sums.decisive = at
  }
  return sums
}

function addUnevaluated(sums: Sums, { weight, preempts }: AssessedRule): void {
  if (preempts) sums.mayOverride.push(preempts)
  else if (weight < 0) sums.below = addExactly(sums.below, weight)
  else sums.above = addExactly(sums.above, weight)
}

function findBounds({ triggered, below, above }: Sums): readonly [number, number] {
  return [scoreOf(addSums(triggered, below)), scoreOf(addSums(triggered, above))]
}

function addSums(one: Sum, other: Sum): Sum {
  return typeof other === 'number' ? addExactly(one, other) : BigInt(one) + other
}

function scoreOf(sum: Sum): number {
  // what a number cannot hold is far outside of the scores
  return clampScore(Number(sum))
}

function verdictOf({ threshold }: AssessedRecipe, score: number): Verdict {
  return score >= threshold ? 'FLAG' : 'PASS'
}

function listAlone(recipe: AssessedRecipe, record: AssessedRecord, sums: Sums): readonly number[] {
  const { decisive } = sums
  if (decisive !== undefined) {
    return verdictWithout(recipe, record, { ...sums, decisive }) === record.verdict
      ? []
      : [decisive]
  }
  return sums.at.filter((at) => {
    const score = scoreOf(addExactly(sums.triggered, -(recipe.rules[at]?.weight ?? 0)))
    return verdictOf(recipe, score) !== record.verdict
  })
}

/** The verdict without the rule that overrides: the rules behind it run, and those not evaluated add nothing. */
function verdictWithout(
  recipe: AssessedRecipe,
  { skipped = '' }: AssessedRecord,
  { triggered, decisive }: Sums & { readonly decisive: number },
): Verdict {
  let sum = addExactly(triggered, -(recipe.rules[decisive]?.weight ?? 0))
  for (let at = 0; at < skipped.length; at++) {
    if (skipped[at] !== 'T') continue
    const { weight, preempts } = recipe.rules[decisive + 1 + at] as AssessedRule
    if (preempts) return preempts
    sum = addExactly(sum, weight)
  }
  return verdictOf(recipe, scoreOf(sum))
}
