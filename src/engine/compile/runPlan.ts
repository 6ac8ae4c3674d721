/** Runs of a compiled plan, in one go or with pauses. */

import type { Evidence } from '../run/evidence.ts'
import { flowVerdict } from '../run/record.ts'
import type { FlowResult, RecipeResult } from '../run/result.ts'
import {
  type CompiledRecipe,
  type RecipeRun,
  type RunState,
  runRecipe,
  runRecipeByRule,
} from '../run/runRecipe.ts'
import { type AskedList, askedLists } from './compileLookup.ts'
import type { CompiledRule, Workshop } from './compileRule.ts'

/** A result with the runs it was made of, in the plan's order. */
export interface PlanRun extends FlowResult {
  readonly runs: readonly RecipeRun[]
}

/** A run of a plan that may pause. */
type RunningPlan = Generator<void, PlanRun>

export interface PlanRuns {
  /** Runs all rules over the evidence. Never throws; the same evidence always gives the same result. */
  readonly run: (evidence: Evidence) => PlanRun
  /** Which lists the rules ask for what, as far as the evidence does not have the answers yet. */
  readonly asks: (evidence: Evidence) => readonly AskedList[]
  /**
   * The same result, with pauses between rules that together could take long. What is run while it pauses, be it the same plan,
   * changes nothing.
   */
  readonly runByRule: (evidence: Evidence) => RunningPlan
}

/** Steps that are taken without a pause: about two milliseconds, more than most flows can come to. */
const wholeSteps = 200_000

/** The runs of a plan of these recipes over the memory in which they were compiled. */
export function runsOf(
  recipes: readonly CompiledRecipe[],
  { memory, slots, lookups, semantics: { charges } }: Omit<Workshop, 'shared'>,
): PlanRuns {
  const before = pausedBefore(recipes)
  const isLong = before.some(({ length }) => length > 0)
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

  function* runByRule(evidence: Evidence): RunningPlan {
    if (!isLong) return run(evidence)
    const state = begin(evidence)
    const me = memory.run
    const pause = function* (): Generator<void, void> {
      const { runSteps } = memory
      yield
      if (memory.run === me) return
      // another run has used the memory
      memory.run = me
      memory.runSteps = runSteps
      slots.load(evidence, memory)
    }
    const runs: RecipeRun[] = []
    for (let at = 0; at < recipes.length; at++) {
      const pauses = { before: before[at] as readonly number[], pause }
      runs.push(yield* runRecipeByRule(recipes[at] as CompiledRecipe, state, pauses))
    }
    return planRun(runs)
  }

  const asks = (evidence: Evidence): readonly AskedList[] => {
    if (lookups.size === 0) return []
    begin(evidence)
    return askedLists(lookups.values(), memory, evidence)
  }

  return { run, runByRule, asks }
}

/** Of each recipe the places of the rules that those since the last pause, at their longest, leave no room for. */
function pausedBefore(recipes: readonly CompiledRecipe[]): readonly (readonly number[])[] {
  let most = 0
  const leavesNoRoom = ({ steps }: CompiledRule): boolean => {
    const isFirst = most === 0
    most += steps
    if (isFirst || most <= wholeSteps) return false
    most = steps
    return true
  }
  return recipes.map(({ rules }) => rules.flatMap((rule, at) => (leavesNoRoom(rule) ? [at] : [])))
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
