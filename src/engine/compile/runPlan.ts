/** Runs of a compiled plan, at once or in slices. */

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
import { usualChars } from './compiled.ts'
import { type AskedList, askedLists } from './compileLookup.ts'
import type { Workshop } from './compileRule.ts'

/** A result with the runs it was made of, in the plan's order. */
export interface PlanRun extends FlowResult {
  readonly runs: readonly RecipeRun[]
}

export interface PlanRuns {
  /** Whether a run over this evidence may take longer than others should wait, so that it belongs into long work. */
  readonly isLong: (evidence: Evidence) => boolean
  /** Runs all rules over the evidence. Never throws; the same evidence always gives the same result. */
  readonly run: (evidence: Evidence) => PlanRun
  /** Which lists the rules ask for what, as far as the evidence does not have the answers yet. */
  readonly asks: (evidence: Evidence) => readonly AskedList[]
  /** The same result as long work. What is run while it pauses, be it the same plan, changes nothing. */
  readonly runInSlices: (evidence: Evidence) => Promise<PlanRun>
}

/** Steps that a run may take at once: about two milliseconds, more than most flows can come to. */
const shortSteps = 200_000

/** The runs of a plan of these recipes over the memory in which they were compiled. */
export function runsOf(
  recipes: readonly CompiledRecipe[],
  { memory, slots, lookups, semantics: { charges } }: Omit<Workshop, 'shared'>,
): PlanRuns {
  let begun = 0

  const begin = (evidence: Evidence): RunState => {
    begun += 1
    memory.run = begun
    memory.runSteps = charges.countedSteps
    return { memory, complete: slots.load(evidence, memory) === 0 }
  }

  const run = (evidence: Evidence): PlanRun => {
    const state = begin(evidence)
    const runs: RecipeRun[] = new Array(recipes.length)
    for (let at = 0; at < recipes.length; at++) {
      runs[at] = runRecipe(recipes[at] as CompiledRecipe, state)
    }
    return planRun(runs)
  }

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

  return { isLong: lengthOf(recipes), run, runInSlices, asks }
}

function lengthOf(recipes: readonly CompiledRecipe[]): PlanRuns['isLong'] {
  let most = 0
  let usual = 0
  for (const { rules } of recipes) {
    for (const { steps, usualSteps } of rules) {
      most += steps
      usual += usualSteps
    }
  }
  if (most <= shortSteps) return () => false
  return usual > shortSteps ? () => true : hasLongText
}

function hasLongText(evidence: Evidence): boolean {
  for (const { value } of evidence.values()) {
    if (typeof value === 'string' && value.length > usualChars) return true
  }
  return false
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
