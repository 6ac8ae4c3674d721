/** Counts the outcomes of the rules of each evaluation plan by UTC day. */

/**
 * Evaluations are counted by plan, and the counts are in the order of its rules: one document a plan and day however
 * many rules it has, and no need to read the plan. A query goes from the rule to its plans.
 */

import { type EvaluationEvent, readClock } from '../../events/evaluation/evaluationEvents.ts'
import { defineCollection, defineProjection } from '../running/projection.ts'

/** By `{digest}/{day}`, the day as in `2026-08-31`. */
export interface PlanUsageDocument {
  readonly evaluations: number
  /** For each recipe of the plan, for each of its rules in order, the counts in the order of `outcomeLetters`, flat. */
  readonly counts: readonly (readonly number[])[]
}

/** The letters of `FlowEvaluated`, see there; also the order of the counts. */
export const outcomeLetters = 'TNMUS'

const identity = { name: 'rule_usage', version: 2 } as const
export const planUsageCollection = defineCollection<PlanUsageDocument>({
  projection: identity,
  name: 'plan_usage',
})

type Evaluated = Extract<EvaluationEvent, { type: 'FlowEvaluated' }>

export const ruleUsageProjection = defineProjection<Evaluated, PlanUsageDocument>({
  ...identity,
  collections: [planUsageCollection],
  eventTypes: ['FlowEvaluated'],
  targets: (evaluated) => [
    {
      collection: planUsageCollection,
      id: `${evaluated.event.data.plan}/${toUtcDay(readClock(evaluated))}`,
    },
  ],
  apply: (usage, { event }) => countEvaluation(usage, event.data.recipes),
})

/** The UTC day of a time in milliseconds since the Unix epoch, as in `2026-08-31`. */
export function toUtcDay(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10)
}

function countEvaluation(
  usage: PlanUsageDocument | undefined,
  recipes: Evaluated['data']['recipes'],
): PlanUsageDocument {
  return {
    evaluations: (usage?.evaluations ?? 0) + 1,
    counts: recipes.map(({ outcomes }, index) => countOutcomes(usage?.counts[index], outcomes)),
  }
}

function countOutcomes(before: readonly number[] | undefined, outcomes: string): readonly number[] {
  const width = outcomeLetters.length
  const counts = before?.slice() ?? new Array<number>(outcomes.length * width).fill(0)
  for (let rule = 0; rule < outcomes.length; rule += 1) {
    const at = rule * width + outcomeLetters.indexOf(outcomes.charAt(rule))
    counts[at] = (counts[at] ?? 0) + 1
  }
  return counts
}
