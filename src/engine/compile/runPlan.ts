/** Runs a compiled plan over evidence, at once or in slices. */

import type { Evidence } from '../run/evidence.ts'
import { flowVerdict } from '../run/record.ts'
import type { FlowResult, RecipeResult } from '../run/result.ts'
import {
  type CompiledRecipe,
  type RecipeRun,
  type RunState,
  runRecipe,
  runRecipeInSlices,
} from '../run/runRecipe.ts'
import { type AskedList, askedLists } from './compileLookup.ts'
import type { Workshop } from './compileRule.ts'

/** A result with the runs it was made of, in the plan's order. */
export interface PlanRun extends FlowResult {
  readonly runs: readonly RecipeRun[]
}

export interface PlanRuns {
  /** Runs all rules over the evidence. Never throws; the same evidence always gives the same result. */
  readonly run: (evidence: Evidence) => PlanRun
  /** The same result, or undefined when it was not there by that time and rules were left that may take long. */
  readonly runUntil: (evidence: Evidence, untilMs: number) => PlanRun | undefined
  /** Which lists the rules ask for what, as far as the evidence does not have the answers yet. */
  readonly asks: (evidence: Evidence) => readonly AskedList[]
  /** The same result as long work. What is run while it pauses, be it the same plan, changes nothing. */
  readonly runInSlices: (evidence: Evidence) => Promise<PlanRun>
}

/** The runs of a plan of these recipes over the memory in which they were compiled. */
export function runsOf(
  recipes: readonly CompiledRecipe[],
  { memory, slots, lookups, semantics: { charges } }: Omit<Workshop, 'shared'>,
): PlanRuns {
  let begun = 0

  const begin = (evidence: Evidence, untilMs = Number.POSITIVE_INFINITY): RunState => {
    begun += 1
    memory.run = begun
    memory.runSteps = charges.countedSteps
    return { memory, complete: slots.load(evidence, memory) === 0, untilMs }
  }

  const runUntil = (evidence: Evidence, untilMs?: number): PlanRun | undefined => {
    const state = begin(evidence, untilMs)
    const runs: RecipeRun[] = new Array(recipes.length)
    for (let at = 0; at < recipes.length; at++) {
      if (at > 0 && performance.now() > state.untilMs) return undefined
      const run = runRecipe(recipes[at] as CompiledRecipe, state)
      if (!run) return undefined
      runs[at] = run
    }
    return planRun(runs)
  }

  const run = (evidence: Evidence): PlanRun => runUntil(evidence) as PlanRun

  const runInSlices = async (evidence: Evidence): Promise<PlanRun> => {
    const state = begin(evidence)
    const me = memory.run
    const pauseRun = async (paused: Promise<void>): Promise<void> => {
      const { runSteps } = memory
      await paused
      if (memory.run === me) return
      // another run has used the memory
      memory.run = me
      memory.runSteps = runSteps
      slots.load(evidence, memory)
    }
    const runs: RecipeRun[] = []
    for (const recipe of recipes) runs.push(await runRecipeInSlices(recipe, state, pauseRun))
    return planRun(runs)
  }

  const asks = (evidence: Evidence): readonly AskedList[] => {
    if (lookups.size === 0) return []
    begin(evidence)
    return askedLists(lookups.values(), memory, evidence)
  }

  return { run, runUntil, runInSlices, asks }
}

function planRun(runs: readonly RecipeRun[]): PlanRun {
  const live: RecipeResult[] = []
  const shadow: RecipeResult[] = []
  for (const { recipe, result } of runs) {
    if (recipe.planned.status === 'LIVE') live.push(result)
    else shadow.push(result)
  }
  return { verdict: flowVerdict(live), recipes: live, shadow, runs }
}
