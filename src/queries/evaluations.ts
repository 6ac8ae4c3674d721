/** Questions about recorded evaluations. */

import {
  type EvaluatedRecipe,
  type EvaluationDocument,
  evaluations,
} from '../projections/evaluations.ts'
import { type PlanDocument, planCollection, ruleUsage } from '../projections/ruleUsage.ts'
import type { Find, StoredDocument } from '../stores/readStore.ts'
import { findPage, type Page, type PageAsked } from './page.ts'
import { activeCollection, type Readers } from './readers.ts'

export interface EvaluationsAsked extends PageAsked {
  readonly account: string
  readonly flowId?: string
  /** Milliseconds since the Unix epoch, the first included. */
  readonly fromMs?: number
  /** The same, excluded. */
  readonly untilMs?: number
}

export interface EvaluationView extends Omit<EvaluationDocument, 'account' | 'recipes'> {
  readonly id: string
  /** Live and shadow recipes, in the plan's order. */
  readonly recipes: readonly (EvaluatedRecipe & { readonly status: 'LIVE' | 'SHADOW' })[]
}

/** The account's evaluations, newest first. Throws `invalid_request` for what is no cursor. */
export async function listEvaluations(
  readers: Readers,
  asked: EvaluationsAsked,
): Promise<Page<EvaluationView>> {
  const { account, flowId, fromMs, untilMs, ...paging } = asked
  const [declared] = evaluations.collections
  if (!declared) throw new Error('the evaluations have no collection')
  const time = {
    ...(fromMs === undefined ? {} : { gte: fromMs }),
    ...(untilMs === undefined ? {} : { lt: untilMs }),
  }
  const where: Find['where'] = {
    account,
    ...(flowId === undefined ? {} : { flow_id: flowId }),
    ...(Object.keys(time).length === 0 ? {} : { time }),
  }
  const collection = activeCollection(readers, evaluations, declared)
  const page = await findPage(readers, collection, { where, sort: ['-time'], ...paging })
  const plans = await plansOf(readers, page.items)
  return { ...page, items: page.items.map((item) => viewOf(item, plans)) }
}

async function plansOf(
  readers: Readers,
  found: readonly StoredDocument[],
): Promise<ReadonlyMap<string, PlanDocument>> {
  const collection = activeCollection(readers, ruleUsage, planCollection)
  const digests = new Set(found.map(({ body }) => String(body['plan'])))
  const plans = new Map<string, PlanDocument>()
  for (const digest of digests) {
    const plan = await readers.documents.get(collection, digest)
    if (plan) plans.set(digest, plan.body as unknown as PlanDocument)
  }
  return plans
}

function viewOf(
  { id, body }: StoredDocument,
  plans: ReadonlyMap<string, PlanDocument>,
): EvaluationView {
  const { flow_id, time, verdict, plan, recipes } = body as unknown as EvaluationDocument
  const planned = plans.get(plan)?.recipes
  return {
    id,
    flow_id,
    time,
    verdict,
    plan,
    recipes: recipes.map((recipe, index) => ({
      ...recipe,
      // A plan is recorded before its first evaluation; it may only be the other projection that is behind.
      status: planned?.[index]?.status ?? 'LIVE',
    })),
  }
}
