/** The plans that were recorded, without what their rules say, and the way from a rule to its plans. */

import type { EvaluationEvent } from '../../events/evaluation/evaluation.ts'
import { defineProjection } from '../running/defineProjection.ts'
import { collectionOf, type Target } from '../running/projection.ts'

/** By the plan's digest. */
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

/** By `{rule id}/{digest}`. */
export interface PlanOfRuleDocument {
  readonly account: string
}

/** Version 1 of the collections belongs to version 1 of `rule_usage` and is dropped with it. */
const identity = { name: 'plans', version: 2 } as const
export const planCollection = collectionOf<PlanDocument>({ projection: identity })
export const planOfRuleCollection = collectionOf<PlanOfRuleDocument>({
  projection: identity,
  name: 'plans_of_rule',
})

type Recorded = Extract<EvaluationEvent, { type: 'PlanRecorded' }>

export const plans = defineProjection<Recorded, PlanDocument | PlanOfRuleDocument>({
  ...identity,
  collections: [planCollection, planOfRuleCollection],
  handles: ['PlanRecorded'],
  targets: ({ event }) => targetsOf(event.data),
  apply: (_, { event, metadata: { account } }, { collection }) =>
    collection === planCollection ? planDocument(account, event.data.plan) : { account },
})

function targetsOf({ digest, plan }: Recorded['data']): readonly Target[] {
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
