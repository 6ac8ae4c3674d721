/**
 * How often each rule came to each outcome, by UTC day. Evaluations are counted by plan, in whose order their outcomes stand:
 * one document a plan and day however many rules it has, and no need to look the plan up. Who asks for a rule goes from the
 * rule to its plans.
 */

import type { EvaluationEvent } from '../../events/evaluation/evaluation.ts'
import { defineProjection } from '../running/defineProjection.ts'
import { collectionOf, type Target } from '../running/projection.ts'

/** `plans`, by digest: the plan without what a rule says. */
export interface PlanDocument {
  readonly account: string
  readonly flow_id: string
  readonly flow_version_id: string
  readonly recipes: readonly {
    readonly recipe_id: string
    readonly version_id: string
    readonly status: 'LIVE' | 'SHADOW'
    readonly threshold: number
    /** Rule ids in membership order. */
    readonly rules: readonly string[]
  }[]
}

/** `plans_of_rule`, by `{rule id}/{digest}`. */
interface PlanOfRuleDocument {
  readonly account: string
}

/** `plan_usage`, by `{digest}/{day}`, the day as in `2026-08-31`. */
export interface PlanUsageDocument {
  readonly evaluations: number
  /** For each recipe of the plan, for each of its rules in order, the counts in the order of `outcomeLetters`, flat. */
  readonly counts: readonly (readonly number[])[]
}

/** The letters of `FlowEvaluated`, see there; also the order of the counts. */
export const outcomeLetters = 'TNMUS'

const identity = { name: 'rule_usage', version: 1 } as const
const version = identity.version
export const planCollection = collectionOf({ name: 'plans', version }, [['account']])
export const planOfRuleCollection = collectionOf({ name: 'plans_of_rule', version }, [])
export const planUsageCollection = collectionOf({ name: 'plan_usage', version }, [])

type Recorded = Extract<EvaluationEvent, { type: 'PlanRecorded' }>
type Evaluated = Extract<EvaluationEvent, { type: 'FlowEvaluated' }>
type Document = PlanDocument | PlanOfRuleDocument | PlanUsageDocument

export const ruleUsage = defineProjection<Recorded | Evaluated, Document>({
  ...identity,
  collections: [planCollection, planOfRuleCollection, planUsageCollection],
  handles: ['PlanRecorded', 'FlowEvaluated'],
  targets: ({ event }) => {
    if (event.type === 'PlanRecorded') return planTargets(event.data)
    const id = `${event.data.plan}/${dayOf(event.data.time)}`
    return [{ collection: planUsageCollection, id }]
  },
  apply: (document, { event, metadata: { account } }, { collection }) => {
    if (event.type === 'FlowEvaluated') {
      return counted(document as PlanUsageDocument | undefined, event.data.recipes)
    }
    return collection === planCollection ? planDocument(account, event.data.plan) : { account }
  },
})

/** The UTC day of a time in milliseconds since the Unix epoch, as in `2026-08-31`. */
export function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10)
}

function planTargets({ digest, plan }: Recorded['data']): readonly Target[] {
  const ruleIds = plan.recipes.flatMap(({ rules }) => rules.map(({ rule_id }) => rule_id))
  return [
    { collection: planCollection, id: digest, once: 'unique' },
    ...[...new Set(ruleIds)].map((ruleId) => ({
      collection: planOfRuleCollection,
      id: `${ruleId}/${digest}`,
      once: 'unique' as const,
    })),
  ]
}

function planDocument(account: string, plan: Recorded['data']['plan']): PlanDocument {
  const { flow_id, flow_version_id, recipes } = plan
  return {
    account,
    flow_id,
    flow_version_id,
    recipes: recipes.map(({ recipe_id, version_id, status, threshold, rules }) => ({
      recipe_id,
      version_id,
      status,
      threshold,
      rules: rules.map(({ rule_id }) => rule_id),
    })),
  }
}

function counted(
  usage: PlanUsageDocument | undefined,
  recipes: Evaluated['data']['recipes'],
): PlanUsageDocument {
  return {
    evaluations: (usage?.evaluations ?? 0) + 1,
    counts: recipes.map(({ outcomes }, index) => countsOf(usage?.counts[index], outcomes)),
  }
}

function countsOf(before: readonly number[] | undefined, outcomes: string): readonly number[] {
  const width = outcomeLetters.length
  const counts = before?.slice() ?? new Array<number>(outcomes.length * width).fill(0)
  for (let rule = 0; rule < outcomes.length; rule += 1) {
    const at = rule * width + outcomeLetters.indexOf(outcomes.charAt(rule))
    counts[at] = (counts[at] ?? 0) + 1
  }
  return counts
}
