/** Lists and searches evaluations with the names of what ran and the reports that followed. */

import type { Asking, Call, Page, PageRequest, Seen } from '../../domain/call.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import type { RecipeResult, Verdict } from '../../engine/run/result.ts'
import { type LookedUp, lookupDigest } from '../../events/recording/lookupDigest.ts'
import type { Keyring } from '../../events/recording/sealing.ts'
import type { TargetReport } from '../../projections/feedback/targets.ts'
import { type EvaluationView, listEvaluations } from '../evaluation/evaluations.ts'
import { findNames, type NamedVersion, type Names, type Naming } from '../evaluation/names.ts'
import type { QueryContext } from '../reading/context.ts'
import { reached } from '../reading/reached.ts'
import type { TimeAsked } from '../reading/searchPage.ts'
import {
  type EvaluationsSought,
  type FoundEvaluation,
  searchEvaluations,
} from './evaluationSearch.ts'

export interface EvaluationsAsked extends Asking {
  readonly flowId?: string
  readonly verdict?: Verdict
  /** Position in the log; undefined asks for the last ones. */
  readonly after?: number
  /** Position before which the last ones are asked for; never together with `after`. */
  readonly before?: number
  readonly limit: number
}

interface WatchedRecipe
  extends Pick<RecipeResult, 'recipe_id' | 'verdict' | 'score' | 'partial_evidence'> {
  readonly name?: string
}

export interface WatchedEvaluation {
  readonly id: string
  readonly flow_id: string
  /** As it was when it ran, as every name here. */
  readonly flow_name?: string
  /** ISO 8601 UTC. */
  readonly evaluated_at: string
  readonly verdict: Verdict
  readonly position: string
  /** What the caller was answered. */
  readonly recipes: readonly WatchedRecipe[]
  readonly shadow_recipes: readonly WatchedRecipe[]
}

/** Which evaluations are sought; canonical. All that is given must hold. */
export interface SearchAsked extends PageRequest, TimeAsked {
  readonly flowId?: string
  readonly verdict?: Verdict
  readonly phoneNumber?: string
  readonly emailAddress?: string
  readonly ip?: string
  readonly deviceId?: string
  readonly correlationId?: string
}

/** A kind of report on the target of an evaluation, made after it: the last one. */
export interface FollowingReport extends Pick<TargetReport, 'kind' | 'name' | 'confidence'> {
  /** ISO 8601 UTC. */
  readonly last_reported_at: string
}

/** An evaluation with what became of its target, as far as it was reported. */
export interface FollowedEvaluation extends WatchedEvaluation {
  /** In the order in which they were last reported; empty for nothing. */
  readonly followed_by: readonly FollowingReport[]
  /** There may be more kinds than those. */
  readonly followed_by_more?: true
  /** The end user was erased since. */
  readonly forgotten?: true
}

/** In the order of the log. */
export interface EvaluationsFound {
  readonly items: readonly WatchedEvaluation[]
  /** The position to go on behind, also when nothing was found. */
  readonly nextAfter: string
  /** Of the last ones: the position before which older ones lie, unless there are none. */
  readonly nextBefore?: string
}

type Context = Naming & Pick<QueryContext, 'heavyReads' | 'projections' | 'keyring'>

/** The account's evaluations behind a position, or the last ones. Throws `unavailable` when `minPosition` is not reached in time. */
export async function listNamedEvaluations(
  context: Context,
  call: Call,
  { minPosition, ...asked }: EvaluationsAsked,
): Promise<Seen<EvaluationsFound>> {
  const position = await reached(context, minPosition)
  const account = call.principal.accountId
  const found = await context.heavyReads.ask(call.principal, listEvaluations, {
    account,
    ...asked,
    reached: position,
  })
  const names = await findNames(context, account, found.items.flatMap(namedInEvaluation))
  const items = found.items.map((evaluation) => watched(evaluation, names))
  const { nextAfter, nextBefore } = found
  const value = {
    items,
    nextAfter: String(nextAfter),
    ...(nextBefore !== undefined && { nextBefore: String(nextBefore) }),
  }
  return { value, position }
}

/**
 * The account's evaluations of a person, an address, a device or a time, in the order of time, each with what was reported of its target
 * afterwards. Throws `invalid_request` for an invalid cursor of the search, `unavailable`.
 */
export async function searchNamedEvaluations(
  context: Context,
  { principal }: Call,
  { minPosition, ...asked }: SearchAsked,
): Promise<Seen<Page<FollowedEvaluation>>> {
  const position = await reached(context, minPosition)
  const account = principal.accountId
  const { limit, order, fromMs, toMs, cursor } = asked
  const { items, ...page } = await context.heavyReads.ask(principal, searchEvaluations, {
    limit,
    order,
    ...(fromMs !== undefined && { fromMs }),
    ...(toMs !== undefined && { toMs }),
    ...(cursor !== undefined && { cursor }),
    equal: soughtFields(context.keyring, account, asked),
  })
  const names = await findNames(context, account, items.flatMap(namedInEvaluation))
  return { value: { ...page, items: items.map((one) => followed(one, names)) }, position }
}

function followed(found: FoundEvaluation, names: Names): FollowedEvaluation {
  const { followedBy, hasMore, isForgotten } = found
  return {
    ...watched(found, names),
    followed_by: followedBy.map(({ kind, name, confidence, last_time }) => ({
      kind,
      name,
      ...(confidence !== undefined && { confidence }),
      last_reported_at: isoTime(last_time),
    })),
    ...(hasMore && { followed_by_more: true }),
    ...(isForgotten && { forgotten: true }),
  }
}

function namedInEvaluation(evaluation: EvaluationView): readonly NamedVersion[] {
  const { flow_id, flow_version_id, recipes } = evaluation
  const ofRecipes = recipes.map(({ recipe_id, version_id }) => ({
    id: recipe_id,
    versionId: version_id,
  }))
  return [{ id: flow_id, versionId: flow_version_id }, ...ofRecipes]
}

function watched(evaluation: EvaluationView, names: Names): WatchedEvaluation {
  const { id, flow_id, flow_version_id, at, time, verdict, recipes } = evaluation
  const flowName = names.flow(flow_id, flow_version_id)
  const of = (status: 'LIVE' | 'SHADOW') =>
    recipes
      .filter((recipe) => recipe.status === status)
      .map((recipe) => watchedRecipe(recipe, names))
  return {
    id,
    flow_id,
    ...(flowName !== undefined && { flow_name: flowName }),
    evaluated_at: isoTime(time),
    verdict,
    position: String(at),
    recipes: of('LIVE'),
    shadow_recipes: of('SHADOW'),
  }
}

function watchedRecipe(
  { recipe_id, version_id, verdict, score, partial }: EvaluationView['recipes'][number],
  names: Names,
): WatchedEvaluation['recipes'][number] {
  const name = names.recipe(recipe_id, version_id)
  return {
    recipe_id,
    ...(name !== undefined && { name }),
    verdict,
    score,
    partial_evidence: partial,
  }
}

type Sought = Pick<
  SearchAsked,
  'flowId' | 'verdict' | 'phoneNumber' | 'emailAddress' | 'ip' | 'deviceId' | 'correlationId'
>

/** Persons by their subjects, everything else that was sent by its keyed digest. */
function soughtFields(
  keyring: Pick<Keyring, 'subject' | 'digest'>,
  account: string,
  { flowId, verdict, phoneNumber, emailAddress, ...sought }: Sought,
): EvaluationsSought['equal'] {
  const { subject } = keyring
  const digest = (kind: LookedUp['kind'], value: string) =>
    lookupDigest(keyring, account, { kind, value })
  const { ip, deviceId, correlationId } = sought
  return {
    account,
    ...(flowId !== undefined && { flow_id: flowId }),
    ...(verdict !== undefined && { verdict }),
    ...(phoneNumber !== undefined && { phone_digest: subject(account, 'phone', phoneNumber) }),
    ...(emailAddress !== undefined && { email_digest: subject(account, 'email', emailAddress) }),
    ...(ip !== undefined && { ip_digest: digest('ip', ip) }),
    ...(deviceId !== undefined && { device_digest: digest('device_id', deviceId) }),
    ...(correlationId !== undefined && {
      correlation_digest: digest('correlation_id', correlationId),
    }),
  }
}
