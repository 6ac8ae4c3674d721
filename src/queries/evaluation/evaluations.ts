/** Recorded evaluations in the order of the log, for those who follow them. */

import { Failure } from '../../domain/failure.ts'
import type { Verdict } from '../../engine/run/result.ts'
import {
  type PlanDocument,
  planCollection,
  ruleUsage,
} from '../../projections/analysis/ruleUsage.ts'
import {
  type EvaluatedRecipe,
  type EvaluationDocument,
  evaluations,
} from '../../projections/evaluation/evaluations.ts'
import type { Collection, Find, StoredDocument } from '../../stores/readStore.ts'
import { activeCollection, type Readers } from '../reading/readers.ts'

/** Evaluations that one question looks at when it is for a verdict. */
const scanMax = 1_000

export interface EvaluationsAsked {
  readonly account: string
  readonly flowId?: string
  readonly verdict?: Verdict
  /** Position in the log; undefined asks for the last ones. */
  readonly after?: number
  /** From 1 to 1,000. */
  readonly limit: number
  /** Position that the read models have passed. */
  readonly reached: number
}

export interface EvaluationView extends Omit<EvaluationDocument, 'account' | 'recipes'> {
  readonly id: string
  /** Live and shadow recipes, in the plan's order. */
  readonly recipes: readonly (EvaluatedRecipe & { readonly status: 'LIVE' | 'SHADOW' })[]
}

export interface FoundEvaluations {
  readonly items: readonly EvaluationView[]
  /** Everything up to here has been looked at. */
  readonly nextAfter: number
}

/** The account's evaluations behind a position, or the last ones, in the order of the log. */
export async function listEvaluations(
  readers: Readers,
  asked: EvaluationsAsked,
): Promise<FoundEvaluations> {
  const { account, flowId, verdict, after, limit, reached } = asked
  const most = verdict === undefined ? limit : scanMax
  const where: Find['where'] = {
    account,
    ...(flowId !== undefined && { flow_id: flowId }),
    ...(after !== undefined && { at: { gt: after } }),
  }
  const sort = [after === undefined ? '-at' : 'at']
  const found = await readers.documents.find(inOrder(readers), { where, sort, limit: most })
  const wanted = found.filter(({ body }) => verdict === undefined || body['verdict'] === verdict)
  const taken = wanted.slice(0, limit)
  const plans = await plansOf(readers, taken)
  const items = taken.map((document) => viewOf(document, plans))
  if (after === undefined) {
    // from the newest back: whatever there was up to now has been looked at
    const newest = found[0] ? atOf(found[0]) : 0
    return { items: items.reverse(), nextAfter: Math.max(newest, reached) }
  }
  const cut =
    wanted.length > limit ? taken.at(-1) : found.length === most ? found.at(-1) : undefined
  return { items, nextAfter: cut ? atOf(cut) : Math.max(after, lastOf(found), reached) }
}

/** Throws `Failure` `unavailable` while readers use a version whose documents do not say where in the log they are. */
function inOrder(readers: Readers): Collection {
  const [declared] = evaluations.collections
  if (!declared) throw new Error('the evaluations have no collection')
  const collection = activeCollection(readers, evaluations, declared)
  if (collection.version === declared.version) return collection
  throw new Failure('unavailable', 'What you ask for is being built from the log; try again.', {
    retryAfterSeconds: 5,
  })
}

function lastOf(found: readonly StoredDocument[]): number {
  const last = found.at(-1)
  return last ? atOf(last) : 0
}

function atOf({ body }: StoredDocument): number {
  return (body as unknown as EvaluationDocument).at
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
  const { account: _, ...evaluation } = body as unknown as EvaluationDocument
  const planned = plans.get(evaluation.plan)?.recipes
  return {
    id,
    ...evaluation,
    recipes: evaluation.recipes.map((recipe, index) => ({
      ...recipe,
      // A plan is recorded before its first evaluation; it may only be the other projection that is behind.
      status: planned?.[index]?.status ?? 'LIVE',
    })),
  }
}
