/** Projects recorded plans without rule texts, and links from rules to plans. */

/*
 * A rule links to the plan parts that name it, and a part to the plans that have it. So a plan that differs from another in one rule adds
 * the documents of one part.
 */

import type {
  EvaluationData,
  EvaluationEvent,
  PinnedRuleChunk,
} from '../../events/evaluation/evaluationEvents.ts'
import { type DocumentTarget, defineCollection, defineProjection } from '../running/projection.ts'

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
  targets: ({ event, metadata: { account } }) =>
    event.type === 'PlanRulesRecorded' ? partTargets(account, event.data) : planTargets(event.data),
  apply: (_, { event, metadata: { account } }, { collection }) => {
    if (collection === planCollection) return planDocument(account, event)
    return collection === planPartCollection ? partDocument(event) : {}
  },
})

function partTargets(
  account: string,
  { digest, rules }: EvaluationData<'PlanRulesRecorded'>,
): readonly DocumentTarget[] {
  return [
    { collection: planPartCollection, id: digest, once: 'unique' },
    ...[...new Set(rules.map(({ rule_id }) => rule_id))].map((rule) => ({
      collection: partOfRuleCollection,
      id: `${account}/${rule}/${digest}`,
      once: 'unique' as const,
    })),
  ]
}

function planTargets({
  digest,
  plan,
}: EvaluationData<'FlowPlanRecorded'>): readonly DocumentTarget[] {
  const parts = plan.recipes.flatMap((recipe) => recipe.parts.map(([part]) => part))
  return [
    { collection: planCollection, id: digest, once: 'unique' },
    ...[...new Set(parts)].map((part) => ({
      collection: planOfPartCollection,
      id: `${part}/${digest}`,
      once: 'unique' as const,
    })),
  ]
}

function planDocument(account: string, event: Recorded): PlanDocument {
  if (event.type === 'PlanRulesRecorded') throw new Error('a part is no plan')
  const { flow_id, flow_version_id, recipes } = event.data.plan
  return { account, flow_id, flow_version_id, recipes }
}

function partDocument(event: Recorded): PlanPartDocument {
  if (event.type !== 'PlanRulesRecorded') throw new Error('a plan is no part')
  return { rules: event.data.rules.map(({ rule_id }) => rule_id) }
}
