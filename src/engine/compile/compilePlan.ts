/** Compiles the plan of a flow once; runs it, renders the response, and encodes it for the log. */

import { runAtOnce, type Steps } from '../../domain/load/steps.ts'
import { charges } from '../language/operationCosts.ts'
import { requireSemantics } from '../language/semantics.ts'
import type { Evidence } from '../run/evidence.ts'
import type { Plan } from '../run/plan.ts'
import { flowVerdict, type RecordedRecipe, recordRecipe } from '../run/recordResult.ts'
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
  renderRecipe,
  runNextPart,
} from '../run/runRecipe.ts'
import { computeListLookups, type ListLookup } from './compileLookup.ts'
import { type CompiledRule, compilePlannedRule, type PlanScope } from './compilePlannedRule.ts'
import { forgetRun, newEvidenceSlots, newMemory } from './planMemory.ts'

export interface CompiledPlan {
  readonly plan: Plan
  /** Every name that a rule reads or checks with `has`. */
  readonly reads: readonly string[]
  /** Runs all rules over the evidence. Never throws; the same evidence always gives the same result. */
  readonly run: (evidence: Evidence) => PlanRun
  /** Same in steps, of two milliseconds at most unless one rule takes longer. Other runs between them do not change the result. */
  readonly runSteps: (evidence: Evidence) => Steps<PlanRun>
  /** The list lookups of the rules whose answers the evidence does not have yet. */
  readonly computeLookups: (evidence: Evidence) => readonly ListLookup[]
  /** The JSON text of the answer (spec 2.4): what `JSON.stringify` makes of it. */
  readonly renderResponse: (id: string, run: PlanRun) => string
  /** The run for the log, live and shadow recipes in the plan's order. */
  readonly encodeRun: (run: PlanRun) => readonly RecordedRecipe[]
}

/** A result with the runs of its recipes, in the plan's order. */
export interface PlanRun extends FlowResult {
  readonly runs: readonly RecipeRun[]
}

/** Compiles a plan at once, see `compilePlanSteps`. */
export function compilePlan(plan: Plan): CompiledPlan {
  return runAtOnce(compilePlanSteps(plan))
}

/**
 * Compiles a plan with its semantics, one rule at each step. Never throws on a rule it cannot read: that rule is unavailable. Throws
 * `unknown_semantics`.
 */
export function* compilePlanSteps(plan: Plan): Steps<CompiledPlan> {
  requireSemantics(plan.semantics)
  const scope: PlanScope = {
    memory: newMemory(),
    slots: newEvidenceSlots(),
    memoizedOperations: new Map(),
    lookups: new Map(),
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
    encodeRun: ({ runs }) => runs.map(recordRecipe),
  }
}

/** The steps beyond which a rule is counted, so that the uncounted rules together stay within their limit; equal rules are treated alike. */
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

/** The ways to run a plan of these recipes over their memory. */
function buildRuns(
  recipes: readonly CompiledRecipe[],
  scope: PlanScope,
): Pick<CompiledPlan, 'run' | 'runSteps' | 'computeLookups'> {
  const { memory, lookups } = scope
  const computeLookups = (evidence: Evidence): readonly ListLookup[] => {
    if (lookups.size === 0) return []
    beginRun(scope, evidence, 0)
    const asked = computeListLookups(lookups.values(), memory, evidence)
    forgetRun(memory)
    return asked
  }
  const prepared = { recipes, scope, countedStepsMax: charges.countedStepsMax }
  const runSteps = (evidence: Evidence) => runRecipes(prepared, evidence)
  return { run: (evidence) => runAtOnce(runSteps(evidence)), runSteps, computeLookups }
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
  for (let at = 0; at < recipes.length; at++) {
    const recipe = recipes[at] as CompiledRecipe
    const progress = beginRecipe(recipe)
    for (let hasMore = true; hasMore; ) {
      hasMore = runNextPart(recipe, progress, state)
      if (!hasMore && at === recipes.length - 1) break
      const { run, runStepsLeft } = memory
      yield
      // another run has used the memory, and emptied it
      if (memory.run !== run) beginRun(scope, evidence, runStepsLeft)
    }
    runs[at] = endRecipe(recipe, progress)
  }
  forgetRun(memory)
  return buildPlanRun(runs)
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
