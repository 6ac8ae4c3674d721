/** Questions over many recorded evaluations. */

import { invalidRequest, notFound } from '../../domain/failure.ts'
import { isoTime } from '../../domain/isoTime.ts'
import { type LookedUp, lookupDigest } from '../../events/recording/lookupDigest.ts'
import type { Keyring } from '../../events/recording/sealing.ts'
import type { EvaluationsSought, FoundEvaluation } from '../../queries/analysis/evaluationSearch.ts'
import type { ComparedOutcome } from '../../queries/analysis/recipeComparison.ts'
import type { EvaluationView } from '../../queries/evaluation/evaluations.ts'
import { type NamedVersion, type Names, namesOf } from '../../queries/evaluation/names.ts'
import { reached } from '../../queries/reading/reached.ts'
import { managedRulebook, rulebookStream, type ServiceContext } from '../opening/serviceContext.ts'
import type {
  AnalysisPart,
  FollowedEvaluation,
  SearchAsked,
  WatchedEvaluation,
} from './analysisPart.ts'

const weekMs = 7 * 24 * 60 * 60 * 1_000

/** Throws `unavailable` when `minPosition` is not reached in time. */
export function openListEvaluations(context: ServiceContext): AnalysisPart['listEvaluations'] {
  return async (call, { minPosition, ...asked }) => {
    const position = await reached(context, minPosition)
    const account = call.principal.accountId
    const found = await context.heavyReads.ask(call.principal, 'listEvaluations', {
      account,
      ...asked,
      reached: position,
    })
    const names = await namesIn(context, account, found.items)
    const items = found.items.map((evaluation) => watched(evaluation, names))
    const { nextAfter, nextBefore } = found
    const value = {
      items,
      nextAfter: String(nextAfter),
      ...(nextBefore !== undefined && { nextBefore: String(nextBefore) }),
    }
    return { value, position }
  }
}

/** Throws `invalid_request` for what is no cursor of the search, `unavailable` when `minPosition` is not reached in time. */
export function openSearchEvaluations(context: ServiceContext): AnalysisPart['searchEvaluations'] {
  return async ({ principal }, { minPosition, ...asked }) => {
    const position = await reached(context, minPosition)
    const account = principal.accountId
    const { limit, order, fromMs, toMs, cursor } = asked
    const { items, ...page } = await context.heavyReads.ask(principal, 'searchEvaluations', {
      limit,
      order,
      ...(fromMs !== undefined && { fromMs }),
      ...(toMs !== undefined && { toMs }),
      ...(cursor !== undefined && { cursor }),
      equal: soughtFields(context.keyring, account, asked),
    })
    const names = await namesIn(context, account, items)
    return { value: { ...page, items: items.map((one) => followed(one, names)) }, position }
  }
}

async function namesIn(
  context: ServiceContext,
  account: string,
  evaluations: readonly EvaluationView[],
): Promise<Names> {
  const { state } = await context.rulebooks.catchUp(rulebookStream(account))
  const rulebooks = { own: state, managed: managedRulebook(context) }
  return namesOf(context, rulebooks, evaluations.flatMap(namedInEvaluation))
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

/** Throws `not_found`, `invalid_request` for a `with` or a time that cannot be used, `unavailable`. */
export function openCompareRecipes(context: ServiceContext): AnalysisPart['compareRecipes'] {
  return async (call, recipeId, { minPosition, withId, ...asked }) => {
    const account = call.principal.accountId
    const { state } = await context.rulebooks.catchUp(rulebookStream(account))
    if (!state.recipes.has(recipeId)) throw notFound()
    if (withId === recipeId || !state.recipes.has(withId)) {
      throw invalidRequest([{ path: 'with', message: 'Must be the id of another recipe.' }])
    }
    const position = await reached(context, minPosition)
    // one more, so that what was evaluated just now is in it
    const toMs = asked.toMs ?? context.clock.nowMs() + 1
    const fromMs = asked.fromMs ?? Math.max(0, toMs - weekMs)
    if (fromMs >= toMs) {
      throw invalidRequest([{ path: 'from', message: 'Must be before to.' }])
    }
    const range = { fromMs, toMs, ...(asked.cursor !== undefined && { cursor: asked.cursor }) }
    const { nextCursor, scanned, outcomes } = await context.heavyReads.ask(
      call.principal,
      'compareRecipes',
      {
        account,
        recipeId,
        withId,
        ...range,
      },
    )
    const value = {
      recipe_id: recipeId,
      with: withId,
      from: isoTime(fromMs),
      to: isoTime(toMs),
      scanned,
      agreements: sumOf(outcomes.filter((outcome) => outcome.recipe === outcome.with)),
      differences: sumOf(outcomes.filter((outcome) => outcome.recipe !== outcome.with)),
      outcomes,
      truncated: nextCursor !== undefined,
      ...(nextCursor !== undefined && { next_cursor: nextCursor }),
    }
    return { value, position }
  }
}

function sumOf(outcomes: readonly ComparedOutcome[]): number {
  return outcomes.reduce((sum, { evaluations }) => sum + evaluations, 0)
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
