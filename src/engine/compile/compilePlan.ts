/** Compiles the plan of a flow once; runs it, renders the response, and encodes it for the log. */

import { pauseLongWork } from '../../domain/load/longWork.ts'
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
  type CompiledRecipe,
  prepareRecipe,
  type RecipeRun,
  type RunState,
  renderRecipe,
  runRecipe,
  runRecipeInSlices,
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
  /** Same result, or undefined when the time was over and the rules left may take long. */
  readonly runUntil: (evidence: Evidence, untilMs: number) => PlanRun | undefined
  /** What the rules ask before they run and the evidence does not answer yet. */
  readonly computeAsks: (evidence: Evidence) => readonly Ask[]
  /** Same result as long work. Other runs during its pauses do not change it. */
  readonly runInSlices: (evidence: Evidence) => Promise<PlanRun>
  /** The JSON text of the answer (spec 2.4): what `JSON.stringify` makes of it. */
  readonly renderResponse: (id: string, run: PlanRun) => string
  /** The run for the log, live and shadow recipes in the plan's order. */
  readonly encodeRun: (run: PlanRun) => RecordedRun
}

/** A result with the runs of its recipes, in the plan's order. */
export interface PlanRun extends FlowResult {
  readonly runs: readonly RecipeRun[]
}

/**
 * Compiles a plan with its semantics. Never throws on a rule it cannot read: that rule is unavailable. Throws `unknown_semantics`.
 */
export function compilePlan(plan: Plan): CompiledPlan {
  const steps = compileSteps(plan)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Same as long work. */
export async function compilePlanInSlices(plan: Plan): Promise<CompiledPlan> {
  const steps = compileSteps(plan)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    await pauseLongWork()
  }
}

/** Compiles a plan, one rule at each step. */
function* compileSteps(plan: Plan): Generator<void, CompiledPlan> {
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
): Pick<CompiledPlan, 'run' | 'runUntil' | 'runInSlices' | 'computeAsks'> {
  const { countedStepsMax } = charges
  const { memory, slots, asks } = scope
  let lastRun = 0
  const begin = (evidence: Evidence, untilMs = Number.POSITIVE_INFINITY): RunState => {
    lastRun += 1
    memory.run = lastRun
    memory.runStepsLeft = countedStepsMax
    return { memory, hasAllEvidence: slots.load(evidence, memory) === 0, deadlineMs: untilMs }
  }

  const runUntil = (evidence: Evidence, untilMs?: number): PlanRun | undefined => {
    const runs = runRecipes(recipes, begin(evidence, untilMs))
    if (!runs) return undefined
    forgetRun(memory)
    return buildPlanRun(runs)
  }

  const run = (evidence: Evidence): PlanRun => runUntil(evidence) as PlanRun

  const runInSlices = async (evidence: Evidence): Promise<PlanRun> => {
    const state = begin(evidence)
    let own = memory.run
    const pauseRun = async (paused: Promise<void>): Promise<void> => {
      const { runStepsLeft: runSteps } = memory
      await paused
      if (memory.run === own) return
      // another run has used the memory, and emptied it
      lastRun += 1
      own = lastRun
      memory.run = own
      memory.runStepsLeft = runSteps
      slots.load(evidence, memory)
    }
    const runs: RecipeRun[] = []
    for (const recipe of recipes) runs.push(await runRecipeInSlices(recipe, state, pauseRun))
    const skipped = runSkippedRules(runs, state)
    while (!skipped.next().done) {
      const paused = pauseLongWork()
      if (paused) await pauseRun(paused)
    }
    forgetRun(memory)
    return buildPlanRun(runs)
  }

  const computeAsks = (evidence: Evidence): readonly Ask[] => {
    if (asks.size === 0) return []
    begin(evidence)
    const open = computeOpenAsks(scope, evidence)
    forgetRun(memory)
    return open
  }

  return { run, runUntil, runInSlices, computeAsks }
}

/** Runs the recipes, then what they skipped; undefined when the time is over. */
function runRecipes(
  recipes: readonly CompiledRecipe[],
  state: RunState,
): readonly RecipeRun[] | undefined {
  const runs: RecipeRun[] = new Array(recipes.length)
  for (let at = 0; at < recipes.length; at++) {
    if (at > 0 && performance.now() > state.deadlineMs) return undefined
    const run = runRecipe(recipes[at] as CompiledRecipe, state)
    if (!run) return undefined
    runs[at] = run
  }
  const skipped = runSkippedRules(runs, state)
  while (!skipped.next().done) if (performance.now() > state.deadlineMs) return undefined
  return runs
}

/**
 * What the plan asks over the loaded evidence and is not answered in it: nothing where a name did not arrive or the
 * value fails.
 */
function computeOpenAsks({ asks, memory }: PlanScope, evidence: Evidence): readonly Ask[] {
  const open: Ask[] = []
  for (const { name, list, run, slots } of asks.values()) {
    if (evidence.has(name) || slots.some((slot) => memory.cells[slot] === undefined)) continue
    const value = run()
    if (!memory.hasFailed && typeof value === 'string') open.push({ name, list, value })
    memory.hasFailed = false
    memory.blockedBy = undefined
  }
  return open
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
