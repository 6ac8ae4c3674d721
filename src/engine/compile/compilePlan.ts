/** Compiles the plan of a flow once; runs it, renders the response, and encodes it for the log. */

import { runAtOnce, type Steps } from '../../domain/load/steps.ts'
import { charges } from '../language/operationCosts.ts'
import { requireSemantics } from '../language/semantics.ts'
import type { Evidence } from '../run/evidence.ts'
import type { Plan } from '../run/plan.ts'
import { flowVerdict, type RecordedRun, recordRun } from '../run/recordResult.ts'
import {
  buildEvaluateResponse,
  type FlowResult,
  type RecipeResult,
  renderItems,
  renderWithItems,
} from '../run/result.ts'
import {
  beginRecipe,
  type CompiledRecipe,
  endRecipe,
  prepareRecipe,
  type RecipeRun,
  type RunState,
  renderRecipe,
  runNextPart,
  runSkippedRules,
} from '../run/runRecipe.ts'
import type { Ask } from './compileAskedCall.ts'
import { type CompiledRule, compilePlannedRule, type PlanScope } from './compilePlannedRule.ts'
import { forgetRun, newEvidenceSlots, newMemory } from './planMemory.ts'

export interface CompiledPlan {
  readonly plan: Plan
  /** Every name that a rule reads or checks with `has`. */
  readonly reads: readonly string[]
  /** Runs all rules over the evidence. Never throws; the same evidence always gives the same result. */
  readonly run: (evidence: Evidence) => PlanRun
  /** Same in steps, of two milliseconds unless one rule takes longer; runs between them do not change the result. */
  readonly runSteps: (evidence: Evidence) => Steps<PlanRun>
  /** What the rules ask before they run and the evidence does not answer yet. */
  readonly computeAsks: (evidence: Evidence) => readonly Ask[]
  /** The JSON text of the answer (spec 2.4): what `JSON.stringify` makes of it. */
  readonly renderResponse: (id: string, run: PlanRun) => string
  /** The run for the log, live and shadow recipes in the plan's order. */
  readonly encodeRun: (run: PlanRun) => RecordedRun
}

/** A result with the runs of its recipes, in the plan's order. */
export interface PlanRun extends FlowResult {
  readonly runs: readonly RecipeRun[]
}

export function compilePlan(plan: Plan): CompiledPlan {
  return runAtOnce(compilePlanSteps(plan))
}

/**
 * Compiles a plan with its semantics, one rule at each step. Never throws on a rule it cannot read: that rule is
 * unavailable. Throws `unknown_semantics`.
 */
export function* compilePlanSteps(plan: Plan): Steps<CompiledPlan> {
  requireSemantics(plan.semantics)
  const scope: PlanScope = {
    memory: newMemory(),
    slots: newEvidenceSlots(),
    memoizedOperations: new Map(),
    asks: new Map(),
  }
  const compiled: CompiledRule[] = []
  for (const rule of plan.recipes.flatMap(({ rules }) => rules)) {
    compiled.push(compilePlannedRule(rule, scope))
    yield
  }
  const countFrom = findCountedFrom(compiled)
  for (const [at, { planned, countsSteps, stepsMax }] of compiled.entries()) {
    if (countsSteps || stepsMax <= countFrom) continue
    compiled[at] = compilePlannedRule(planned, scope, countFrom)
    yield
  }
  const recipes = plan.recipes.map((recipe) =>
    prepareRecipe(recipe, compiled.splice(0, recipe.rules.length)),
  )
  return {
    plan,
    reads: scope.slots.names(),
    ...buildRuns(recipes, scope),
    renderResponse,
    encodeRun: ({ runs }) => recordRun(runs),
  }
}

/**
 * The steps beyond which a rule is counted, so that the uncounted rules together stay within their limit; equal rules
 * are treated alike.
 */
function findCountedFrom(rules: readonly CompiledRule[]): number {
  const uncounted = rules.filter(({ countsSteps }) => !countsSteps).map((rule) => rule.stepsMax)
  const sorted = uncounted.sort((a, b) => a - b)
  let total = 0
  const over = sorted.find((steps) => {
    total += steps
    return total > charges.uncountedStepsMax
  })
  if (over === undefined) return charges.ruleStepsMax
  return sorted.findLast((steps) => steps < over) ?? 0
}

function renderResponse(id: string, run: PlanRun): string {
  const live = run.runs.filter(({ recipe }) => recipe.plannedRecipe.status === 'LIVE')
  const answer = buildEvaluateResponse(id, run)
  const text = renderWithItems(answer, 'recipes', renderItems(live, renderRecipe))
  // flattens it: V8 stores a concatenated string as parts until one of its characters is read
  return text.charCodeAt(0) > 0 ? text : ''
}

function buildRuns(
  recipes: readonly CompiledRecipe[],
  scope: PlanScope,
): Pick<CompiledPlan, 'run' | 'runSteps' | 'computeAsks'> {
  const { memory, asks } = scope
  const computeAsks = (evidence: Evidence): readonly Ask[] => {
    if (asks.size === 0) return []
    beginRun(scope, evidence, 0)
    const open = computeOpenAsks(scope, evidence)
    forgetRun(memory)
    return open
  }
  const prepared = { recipes, scope, countedStepsMax: charges.countedStepsMax }
  const runSteps = (evidence: Evidence) => runRecipes(prepared, evidence)
  return { run: (evidence) => runAtOnce(runSteps(evidence)), runSteps, computeAsks }
}

/**
 * What the plan asks over the loaded evidence and is not answered in it: nothing where a name did not arrive or the
 * value fails.
 */
function computeOpenAsks({ asks, memory }: PlanScope, evidence: Evidence): readonly Ask[] {
  const open: Ask[] = []
  for (const { name, list, counter, run, slots } of asks.values()) {
    if (evidence.has(name) || slots.some((slot) => memory.cells[slot] === undefined)) continue
    const value = run()
    if (!memory.hasFailed && typeof value === 'string') open.push({ name, list, counter, value })
    memory.hasFailed = false
    memory.blockedBy = undefined
  }
  return open
}

/** Loads the evidence into the memory; tells whether every name that the plan reads has arrived. */
function beginRun({ memory, slots }: PlanScope, evidence: Evidence, stepsLeft: number): boolean {
  memory.run += 1
  memory.runStepsLeft = stepsLeft
  return slots.load(evidence, memory) === 0
}

interface PreparedPlan {
  readonly recipes: readonly CompiledRecipe[]
  readonly scope: PlanScope
  /** Steps of all counted rules of a run. */
  readonly countedStepsMax: number
}

function* runRecipes(
  { recipes, scope, countedStepsMax }: PreparedPlan,
  evidence: Evidence,
): Steps<PlanRun> {
  const { memory } = scope
  const state = { memory, hasAllEvidence: beginRun(scope, evidence, countedStepsMax) }
  const runs: RecipeRun[] = new Array(recipes.length)
  const parts = runParts(recipes, runs, state)
  try {
    while (!parts.next().done) {
      const { run, runStepsLeft } = memory
      yield
      // another run has used the memory, and emptied it
      if (memory.run !== run) beginRun(scope, evidence, runStepsLeft)
    }
  } finally {
    // also of a run that is given up between its steps
    forgetRun(memory)
  }
  return buildPlanRun(runs)
}

/** Runs the recipes over the loaded memory, then what they skipped. */
function* runParts(
  recipes: readonly CompiledRecipe[],
  runs: RecipeRun[],
  state: RunState,
): Steps<void> {
  for (let at = 0; at < recipes.length; at++) {
    const recipe = recipes[at] as CompiledRecipe
    const progress = beginRecipe(recipe)
    while (runNextPart(recipe, progress, state)) yield
    runs[at] = endRecipe(recipe, progress)
    if (at < recipes.length - 1) yield
  }
  yield* runSkippedRules(runs, state)
}

function buildPlanRun(runs: readonly RecipeRun[]): PlanRun {
  const recipes: RecipeResult[] = []
  const shadowRecipes: RecipeResult[] = []
  for (const { recipe, result } of runs) {
    if (recipe.plannedRecipe.status === 'LIVE') recipes.push(result)
    else shadowRecipes.push(result)
  }
  return { verdict: flowVerdict(recipes), recipes, shadowRecipes, runs }
}
