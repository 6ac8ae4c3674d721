/**
 * The plans that were recorded, without what their rules say, and the way from a rule to its plans: from the rule to the parts that name
 * it, from there to the plans that have them. So a plan that differs from another in one rule adds the documents of one part.
 */

import type { EvaluationEvent, PinnedPart } from '../../events/evaluation/evaluation.ts'
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
    /** Of `plan_parts`, in order, each with the number of its rules. */
    readonly parts: readonly PinnedPart[]
  }[]
}

/** A part of the rules of a recipe, by its digest; of an older plan by the plan's digest and the place of the recipe. */
export interface PlanPartDocument {
  /** Rule ids in membership order. */
  readonly rules: readonly string[]
}

/** By `{account}/{rule id}/{part}`, and by `{part}/{plan's digest}`: that it is there is all that it says. */
type LinkDocument = Readonly<Record<never, never>>

const identity = { name: 'plans', version: 3 } as const
export const planCollection = collectionOf<PlanDocument>({ projection: identity })
export const planPartCollection = collectionOf<PlanPartDocument>({
  projection: identity,
  name: 'plan_parts',
})
export const partOfRuleCollection = collectionOf<LinkDocument>({
  projection: identity,
  name: 'parts_of_rule',
})
export const planOfPartCollection = collectionOf<LinkDocument>({
  projection: identity,
  name: 'plans_of_part',
})

type Recorded = Extract<
  EvaluationEvent,
  { type: 'PlanRecorded' | 'FlowPlanRecorded' | 'PlanRulesRecorded' }
>

export const plans = defineProjection<Recorded, PlanDocument | PlanPartDocument | LinkDocument>({
  ...identity,
  collections: [planCollection, planPartCollection, partOfRuleCollection, planOfPartCollection],
  handles: ['PlanRecorded', 'FlowPlanRecorded', 'PlanRulesRecorded'],
  targets: ({ event, metadata: { account } }) => {
    const digests = partsOf(event).flatMap((part) => partTargets(account, part))
    return event.type === 'PlanRulesRecorded' ? digests : [...digests, ...planTargets(event)]
  },
  apply: (_, { event, metadata: { account } }, { collection, id }) => {
    if (collection === planCollection) return planDocument(account, event)
    return collection === planPartCollection ? partDocument(event, id) : {}
  },
})

interface Part {
  readonly id: string
  readonly rules: readonly string[]
}

/** The parts that the event holds: all those of an older plan, of which each recipe is one. */
function partsOf(event: Recorded): readonly Part[] {
  switch (event.type) {
    case 'PlanRulesRecorded':
      return [{ id: event.data.digest, rules: event.data.rules.map(({ rule_id }) => rule_id) }]
    case 'PlanRecorded':
      return event.data.plan.recipes.map(({ rules }, index) => ({
        id: olderPart(event.data.digest, index),
        rules: rules.map(({ rule_id }) => rule_id),
      }))
    case 'FlowPlanRecorded':
      return []
  }
}

function olderPart(digest: string, recipe: number): string {
  return `${digest}.${recipe}`
}

type OfPlan = Exclude<Recorded, { type: 'PlanRulesRecorded' }>

/** The recipes of a plan, each with its parts. */
function recipesOf(event: OfPlan): PlanDocument['recipes'] {
  if (event.type === 'FlowPlanRecorded') return event.data.plan.recipes
  const { digest, plan } = event.data
  return plan.recipes.map(({ rules, ...recipe }, index) => ({
    ...recipe,
    parts: [[olderPart(digest, index), rules.length]],
  }))
}

function partTargets(account: string, { id, rules }: Part): readonly Target[] {
  return [
    { collection: planPartCollection, id, once: 'unique' },
    ...[...new Set(rules)].map((rule) => ({
      collection: partOfRuleCollection,
      id: `${account}/${rule}/${id}`,
      once: 'unique' as const,
    })),
  ]
}

function planTargets(event: OfPlan): readonly Target[] {
  const { digest } = event.data
  const parts = recipesOf(event).flatMap((recipe) => recipe.parts.map(([part]) => part))
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
  const { flow_id, flow_version_id } = event.data.plan
  const recipes = recipesOf(event).map(({ recipe_id, version_id, status, threshold, parts }) => ({
    recipe_id,
    version_id,
    status,
    threshold,
    parts,
  }))
  return { account, flow_id, flow_version_id, recipes }
}

function partDocument(event: Recorded, id: string): PlanPartDocument {
  const part = partsOf(event).find((one) => one.id === id)
  if (!part) throw new Error(`the event has no part ${id}`)
  return { rules: part.rules }
}
