/** Projects recorded plans without rule texts, and links from rules to plans. */

/**
 * A rule links to the plan parts that name it, and a part to the plans that have it. So a plan that differs from
 * another in one rule adds the documents of one part.
 */

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

/** By `{account}/{rule id}/{part}`, and by `{part}/{plan's digest}`; without fields. */
type LinkDocument = Readonly<Record<never, never>>

const identity = { name: 'plans', version: 3 } as const
export const planCollection = defineCollection<PlanDocument>({ projection: identity })
export const planPartCollection = defineCollection<PlanPartDocument>({
  projection: identity,
  name: 'plan_parts',
})
export const partOfRuleCollection = defineCollection<LinkDocument>({
  projection: identity,
  name: 'parts_of_rule',
})
export const planOfPartCollection = defineCollection<LinkDocument>({
  projection: identity,
  name: 'plans_of_part',
})

type Recorded = Extract<EvaluationEvent, { type: 'FlowPlanRecorded' | 'PlanRulesRecorded' }>

export const plansProjection = defineProjection<
  Recorded,
  PlanDocument | PlanPartDocument | LinkDocument
>({
  ...identity,
  collections: [planCollection, planPartCollection, partOfRuleCollection, planOfPartCollection],
  eventTypes: ['FlowPlanRecorded', 'PlanRulesRecorded'],
  targets: ({ event, metadata: { account } }) => {
    const { digest } = event.data
    if (event.type === 'PlanRulesRecorded') {
      const rules = new Set(event.data.rules.map(({ rule_id }) => rule_id))
      return [
        targetOnce(planPartCollection, digest),
        ...[...rules].map((rule) =>
          targetOnce(partOfRuleCollection, `${account}/${rule}/${digest}`),
        ),
      ]
    }
    const { recipes } = event.data.plan
    const parts = new Set(recipes.flatMap((recipe) => recipe.parts.map(([part]) => part)))
    return [
      targetOnce(planCollection, digest),
      ...[...parts].map((part) => targetOnce(planOfPartCollection, `${part}/${digest}`)),
    ]
  },
  apply: (_, { event, metadata: { account } }, { collection }) => {
    if (collection === partOfRuleCollection || collection === planOfPartCollection) return {}
    if (event.type === 'PlanRulesRecorded') {
      return { rules: event.data.rules.map(({ rule_id }) => rule_id) }
    }
    const { flow_id, flow_version_id, recipes } = event.data.plan
    return { account, flow_id, flow_version_id, recipes }
  },
})
