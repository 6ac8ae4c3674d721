/** Projects recorded plans without rule texts. */

import type { EvaluationEvent, PinnedRuleChunk } from '../../events/evaluation/evaluationEvents.ts'
import { defineCollection, defineProjection, targetOnce } from '../running/projection.ts'

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
    /** Digests of `plan_parts` in order, each with the number of its rules. */
    readonly parts: readonly PinnedRuleChunk[]
  }[]
}

/** A part of the rules of a recipe, by its digest. */
export interface PlanPartDocument {
  /** Rule ids in membership order. */
  readonly rules: readonly string[]
}

const identity = { name: 'plans', version: 4 } as const
export const planCollection = defineCollection<PlanDocument>({ projection: identity })
export const planPartCollection = defineCollection<PlanPartDocument>({
  projection: identity,
  name: 'plan_parts',
})

type Recorded = Extract<EvaluationEvent, { type: 'FlowPlanRecorded' | 'PlanRulesRecorded' }>

export const plansProjection = defineProjection<Recorded, PlanDocument | PlanPartDocument>({
  ...identity,
  collections: [planCollection, planPartCollection],
  eventTypes: ['FlowPlanRecorded', 'PlanRulesRecorded'],
  targets: ({ event }) => [
    targetOnce(
      event.type === 'PlanRulesRecorded' ? planPartCollection : planCollection,
      event.data.digest,
    ),
  ],
  apply: (_, { event, metadata: { account } }) => {
    if (event.type === 'PlanRulesRecorded') {
      return { rules: event.data.rules.map(({ rule_id }) => rule_id) }
    }
    const { flow_id, flow_version_id, recipes } = event.data.plan
    return { account, flow_id, flow_version_id, recipes }
  },
})
