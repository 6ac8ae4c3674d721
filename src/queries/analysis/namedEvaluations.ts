/** Lists and searches evaluations with the names of what ran and the reports that followed. */

import { managedRulebook, type RulebookStreams } from '../../commands/rulebook/rulebookStreams.ts'
import type { Asking, Call, Page, PageRequest, Seen } from '../../domain/call.ts'
import { confidences } from '../../domain/evaluation/feedback.ts'
import {
  flag,
  int64,
  openObject,
  optional,
  type TypeOf,
  text,
  timeText,
} from '../../domain/schema.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { type Verdict, verdictSchema } from '../../engine/run/result.ts'
import { type LookedUp, lookupDigest } from '../../events/recording/lookupDigest.ts'
import type { Keyring } from '../../events/recording/sealing.ts'
import { rulebookStream } from '../../events/rulebook/rulebook.ts'
import { type EvaluationView, listEvaluations } from '../evaluation/evaluations.ts'
import { nameSchema } from '../evaluation/evaluationView.ts'
import { type NamedVersion, type Names, namesOf } from '../evaluation/names.ts'
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

const watchedRecipes = {
  type: 'array',
  items: openObject('WatchedRecipe', {
    recipe_id: text,
    name: optional(nameSchema),
    verdict: verdictSchema,
    score: int64,
    partial_evidence: flag,
  }),
} as const

/** A kind of report on the target of an evaluation, made after it: the last one. */
const followingReport = openObject('FollowingReport', {
  kind: { type: 'string', enum: ['feedback', 'event'] },
  name: { type: 'string', description: 'The type of the feedback, or the label of the event.' },
  confidence: optional({ type: 'string', enum: confidences }),
  last_reported_at: timeText,
})

const listedEvaluation = openObject('ListedEvaluation', {
  id: text,
  flow_id: text,
  flow_name: optional(nameSchema),
  evaluated_at: { ...timeText, description: 'ISO 8601 UTC; the clock that the rules saw.' },
  verdict: verdictSchema,
  position: { type: 'string', description: 'Position in the log.' },
  recipes: watchedRecipes,
  shadow_recipes: watchedRecipes,
  followed_by: optional({
    type: 'array',
    items: followingReport,
    description: 'In searches: the last report of each kind on the target after the evaluation.',
  }),
  followed_by_more: optional({
    const: true,
    description: 'More kinds may have been reported: the last hundred of a target are kept.',
  }),
  forgotten: optional({ const: true, description: 'In searches: the end user has been erased.' }),
})
export type WatchedEvaluation = TypeOf<typeof listedEvaluation>
/** An evaluation with what became of its target, as far as it was reported. */
export type FollowedEvaluation = WatchedEvaluation &
  Required<Pick<WatchedEvaluation, 'followed_by'>>

export const evaluationListSchema = openObject('EvaluationList', {
  evaluations: { type: 'array', items: listedEvaluation },
  next_after: optional({
    type: 'string',
    description:
      'When following the log: the position for the next page, also when nothing was found.',
  }),
  next_before: optional({
    type: 'string',
    description: 'For the newest: the position before which older ones are.',
  }),
  next_cursor: optional({
    type: 'string',
    description: 'For searches with more results; also after a page that is not full.',
  }),
})
type EvaluationList = TypeOf<typeof evaluationListSchema>

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

/** What naming the flows and recipes of evaluations takes. */
type Naming = Parameters<typeof namesOf>[0] & Pick<RulebookStreams, 'rulebooks' | 'managed'>
type Context = Naming & Pick<QueryContext, 'heavyReads' | 'projections' | 'keyring'>

/** The account's evaluations behind a position, or the last ones. Throws `unavailable` when `minPosition` is not reached in time. */
export async function listNamedEvaluations(
  context: Context,
  call: Call,
  { minPosition, ...asked }: EvaluationsAsked,
): Promise<Seen<EvaluationList>> {
  const position = await reached(context, minPosition)
  const account = call.principal.accountId
  const found = await context.heavyReads.ask(call.principal, listEvaluations, {
    account,
    ...asked,
    reached: position,
  })
  const names = await namesIn(context, account, found.items)
  const { nextAfter, nextBefore } = found
  const value = {
    evaluations: found.items.map((evaluation) => watched(evaluation, names)),
    next_after: String(nextAfter),
    ...(nextBefore !== undefined && { next_before: String(nextBefore) }),
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
  const names = await namesIn(context, account, items)
  return { value: { ...page, items: items.map((one) => followed(one, names)) }, position }
}

async function namesIn(
  context: Naming,
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
