/** Finds the smallest sets of differences that turn one verdict into the other. */

import type { Steps } from '../../../domain/load/steps.ts'
import { type CompiledPlan, compilePlanSteps } from '../../../engine/compile/compilePlan.ts'
import {
  applyDifferences,
  type ComparedEvaluation,
  type InputDifference,
} from './inputDifferences.ts'

type Combination = readonly InputDifference[]

export interface Causes {
  /** Each turns the first verdict into the second by itself; none when the verdicts are the same. */
  readonly causes: readonly Combination[]
  /** Whether all that are smaller were tried, so that none of them does. */
  readonly smallest: boolean
}

/** Rules that are compiled and run for one answer, over all combinations: some seconds of work. */
const rulesMax = 200_000

/** Causes that are named. */
const causesMax = 20

/**
 * Runs mixtures of both in the engine: every difference alone, then every two, then as few as remain when none can be
 * left out. Throws `unknown_semantics`.
 */
export function* findCauses(
  a: ComparedEvaluation,
  b: ComparedEvaluation,
  differences: Combination,
): Steps<Causes> {
  if (a.verdict === b.verdict) return { causes: [], smallest: true }
  const rules = [a, b].flatMap(({ plan }) => plan.recipes.flatMap((recipe) => recipe.rules))
  const compiled = yield* compilePlanSteps(a.plan)
  const trial: Trial = { a, b, compiled, left: rulesMax / (rules.length + 1) }
  const alone = differences.map((one) => [one])
  // pairs are counted before any is made: thousands of differences have millions
  for (const [count, combinations] of [
    [alone.length, alone],
    [(alone.length * (alone.length - 1)) / 2, listPairs(differences)],
  ] as const) {
    if (count > trial.left / 2) break
    const causes = yield* listCauses(trial, combinations)
    if (causes.length > 0) return { causes, smallest: true }
  }
  const rest = yield* shrinkCause(trial, differences)
  return { causes: (yield* changesVerdict(trial, rest)) ? [rest] : [], smallest: false }
}

function* listPairs(differences: Combination): Generator<Combination> {
  for (const [at, one] of differences.entries()) {
    for (const other of differences.slice(at + 1)) yield [one, other]
  }
}

interface Trial {
  readonly a: ComparedEvaluation
  readonly b: ComparedEvaluation
  /** The plan of the first. */
  readonly compiled: CompiledPlan
  /** Combinations that may be tried. */
  left: number
}

function* listCauses(
  trial: Trial,
  combinations: Iterable<Combination>,
): Steps<readonly Combination[]> {
  const causes: Combination[] = []
  for (const combination of combinations) {
    if (causes.length === causesMax) break
    if (yield* changesVerdict(trial, combination)) causes.push(combination)
  }
  return causes
}

function* changesVerdict(trial: Trial, combination: Combination): Steps<boolean> {
  const { a, b } = trial
  trial.left -= 1
  yield
  const { plan, evidence } = yield* applyDifferences(a, b, combination)
  // only evidence has a name: without other differences the plan is that of the first
  const isPlanOfFirst = combination.every(({ name }) => name !== undefined)
  const compiled = isPlanOfFirst ? trial.compiled : yield* compilePlanSteps(plan)
  return (yield* compiled.runSteps(evidence)).verdict === b.verdict
}

/** Leaves out larger and smaller parts as long as the rest still changes the verdict. */
function* shrinkCause(trial: Trial, differences: Combination): Steps<Combination> {
  let left = differences
  for (let size = left.length; size >= 1; size = size > 1 ? Math.ceil(size / 2) : 0) {
    for (let from = 0; from < left.length && trial.left > 0; ) {
      const rest = left.toSpliced(from, size)
      if (yield* changesVerdict(trial, rest)) left = rest
      else from += size
    }
  }
  return left
}
