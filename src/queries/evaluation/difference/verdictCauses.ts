/** Finds the smallest sets of differences that turn one verdict into the other. */

import { pauseLongWork } from '../../../domain/load/longWork.ts'
import { type CompiledPlan, compilePlanInSlices } from '../../../engine/compile/compilePlan.ts'
import type { Expression } from '../../../engine/language/expression.ts'
import type { Evidence } from '../../../engine/run/evidence.ts'
import type { PlannedRecipe } from '../../../engine/run/plan.ts'
import { clampScore } from '../../../engine/run/runRecipe.ts'
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

/** Rules that are looked at for one answer, over all combinations. */
const rulesMax = 1_000_000

/** Causes that are named. */
const causesMax = 20

/**
 * Tries mixtures of both: every difference alone, then every two, then as few as remain when none can be left out. What triggers is
 * computed by the engine, once for each evidence, and so is what is found. Long work. Throws `unknown_semantics`.
 */
export async function findCauses(
  a: ComparedEvaluation,
  b: ComparedEvaluation,
  differences: Combination,
): Promise<Causes> {
  if (a.verdict === b.verdict) return { causes: [], smallest: true }
  const rules = [a, b].flatMap(({ plan }) => plan.recipes.flatMap((recipe) => recipe.rules))
  const trying: TrialContext = {
    a,
    b,
    left: rulesMax / (rules.length + 1),
    compiled: new Map(),
    seen: new Map(),
  }
  const alone = differences.map((one) => [one])
  const inPairs = differences.flatMap((one, at) =>
    differences.slice(at + 1).map((other) => [one, other]),
  )
  for (const combinations of [alone, inPairs]) {
    if (combinations.length > trying.left / 2) break
    const causes = await listCauses(trying, combinations)
    if (causes.length > 0) return { causes, smallest: true }
  }
  return shrinkCause(trying, differences)
}

async function listCauses(
  trying: TrialContext,
  combinations: readonly Combination[],
): Promise<readonly Combination[]> {
  const causes: Combination[] = []
  for (const combination of combinations) {
    if (causes.length === causesMax) break
    const isCause = await changesVerdict(trying, combination)
    if (isCause && (await isConfirmed(trying, combination))) causes.push(combination)
  }
  return causes
}

interface TrialContext {
  readonly a: ComparedEvaluation
  readonly b: ComparedEvaluation
  /** Combinations that may be tried. */
  left: number
  /** The rules of both sides without what they preempt, so that every one of them runs; by semantics. */
  readonly compiled: Map<number, CompiledPlan>
  /** The expressions that trigger, by semantics and what is chosen of the evidence. */
  readonly seen: Map<string, ReadonlySet<Expression>>
}

async function changesVerdict(trying: TrialContext, combination: Combination): Promise<boolean> {
  const { a, b } = trying
  trying.left -= 1
  await pauseLongWork()
  const { plan, evidence } = applyDifferences(a, b, combination)
  const names = combination.flatMap(({ name }) => (name === undefined ? [] : [name]))
  const key = JSON.stringify([plan.semantics, names])
  const triggered = trying.seen.get(key) ?? (await findTriggered(trying, plan.semantics, evidence))
  trying.seen.set(key, triggered)
  const isFlagged = plan.recipes.some((recipe) => isFlaggedBy(recipe, triggered))
  return isFlagged === (b.verdict === 'FLAG')
}

async function findTriggered(
  trying: TrialContext,
  semantics: number,
  evidence: Evidence,
): Promise<ReadonlySet<Expression>> {
  const recipes = [trying.a, trying.b].flatMap(({ plan }) =>
    plan.recipes.map(({ rules, ...recipe }) => ({
      ...{ ...recipe, status: 'LIVE' as const },
      rules: rules.map(({ preempts: _, ...rule }) => rule),
    })),
  )
  const plan = { ...trying.a.plan, semantics, recipes }
  const compiled = trying.compiled.get(semantics) ?? (await compilePlanInSlices(plan))
  trying.compiled.set(semantics, compiled)
  const run = await compiled.runInSlices(evidence)
  const triggered = new Set<Expression>()
  for (const [at, { rules }] of run.recipes.entries()) {
    for (const [index, { outcome }] of rules.entries()) {
      const expression = recipes[at]?.rules[index]?.expression
      if (outcome === 'TRIGGERED' && expression) triggered.add(expression)
    }
  }
  return triggered
}

/** Whether the live recipe flags (spec 3). */
function isFlaggedBy(
  { status, threshold, rules }: PlannedRecipe,
  triggered: ReadonlySet<Expression>,
) {
  if (status !== 'LIVE') return false
  let score = 0
  for (const { expression, weight, preempts } of rules) {
    if (!expression || !triggered.has(expression)) continue
    if (preempts) return preempts === 'FLAG'
    score += weight
  }
  return clampScore(score) >= threshold
}

/** Whether the engine comes to the same. */
async function isConfirmed({ a, b }: TrialContext, combination: Combination): Promise<boolean> {
  const { plan, evidence } = applyDifferences(a, b, combination)
  const compiled = await compilePlanInSlices(plan)
  return (await compiled.runInSlices(evidence)).verdict === b.verdict
}

/** Leaves out larger and smaller parts as long as the rest still changes the verdict. */
async function shrinkCause(trying: TrialContext, differences: Combination): Promise<Causes> {
  let left = differences
  for (let size = left.length; size >= 1; size = size > 1 ? Math.ceil(size / 2) : 0) {
    for (let from = 0; from < left.length && trying.left > 0; ) {
      const rest = left.toSpliced(from, size)
      if (await changesVerdict(trying, rest)) left = rest
      else from += size
    }
  }
  return { causes: (await isConfirmed(trying, left)) ? [left] : [], smallest: false }
}
