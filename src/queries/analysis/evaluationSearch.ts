/** Lists and searches evaluations with flow and recipe names; searches add later reports. */

import type { Call, Page, PageRequest } from '../../domain/call.ts'
import { confidences } from '../../domain/evaluation/feedback.ts'
import {
  findLabelMeaning,
  type LabelClass,
  type LabelMeaning,
  labelMeanings,
} from '../../domain/evaluation/labelClasses.ts'
import { isReviewLabel } from '../../domain/evaluation/reviews.ts'
import {
  booleanSchema,
  int64,
  openObject,
  optional,
  type TypeOf,
  text,
  timeSchema,
} from '../../domain/jsonSchema.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { type Verdict, verdictSchema } from '../../engine/run/result.ts'
import { computeLookupDigest, type LookupValue } from '../../events/recording/lookupDigest.ts'
import type { Keyring } from '../../events/recording/sealing.ts'
import {
  type EvaluationDocument,
  evaluationCollection,
} from '../../projections/evaluation/evaluations.ts'
import {
  isEarlier,
  isLater,
  type TargetReport,
  type TargetReportsDocument,
  targetReportsCollection,
} from '../../projections/feedback/targetReports.ts'
import { getDocuments, type Readers } from '../../projections/running/documents.ts'
import type { AccountStreams } from '../../state/accounts/requireAccess.ts'
import {
  addPlans,
  type EvaluationWithPlan,
  type listRecordedEvaluations,
} from '../evaluation/evaluationsByPosition.ts'
import { assessmentFields, nameSchema, showAssessment } from '../evaluation/evaluationView.ts'
import {
  loadNames,
  type NamedVersion,
  type NameLookup,
  type NamesContext,
} from '../evaluation/resultNames.ts'
import { findLabelClasses } from '../feedback/findLabelClasses.ts'
import { type DocumentSearch, searchPage, type TimeRangeQuery } from '../reading/page.ts'
import type { HeavyContext, QueryContext } from '../reading/queryContext.ts'

export type EvaluationListQuery = Omit<Parameters<typeof listRecordedEvaluations>[1], 'account'>

const listedRecipes = {
  type: 'array',
  items: openObject('WatchedRecipe', {
    recipe_id: text,
    name: optional(nameSchema),
    verdict: verdictSchema,
    score: int64,
    ...assessmentFields,
    partial_evidence: booleanSchema,
  }),
} as const

/** A kind of report on an evaluation, or on its target after it: the last one. */
const followingReport = openObject('FollowingReport', {
  kind: { type: 'string', enum: ['feedback', 'event'] },
  name: { type: 'string', description: 'The type of the feedback, or the label of the event.' },
  confidence: optional({ type: 'string', enum: confidences }),
  occurred_at: optional({ ...timeSchema, description: 'Absent where that was not said.' }),
  last_reported_at: timeSchema,
})

const listedEvaluation = openObject('ListedEvaluation', {
  id: text,
  flow_id: text,
  flow_name: optional(nameSchema),
  evaluated_at: { ...timeSchema, description: 'ISO 8601 UTC; the clock that the rules saw.' },
  imported: optional({
    const: true,
    description: 'For one that was recorded later: evaluated_at is when it occurred.',
  }),
  verdict: verdictSchema,
  fragile: assessmentFields.fragile,
  position: { type: 'string', description: 'Position in the log.' },
  recipes: listedRecipes,
  shadow_recipes: listedRecipes,
  followed_by: optional({
    type: 'array',
    items: followingReport,
    description:
      'In searches: the last report of each kind that names the evaluation, or names none and is of its target later on.',
  }),
  label_class: optional({
    type: 'string',
    enum: labelMeanings,
    description:
      "In searches: the class of the last of these events that has one in the account's label classes.",
  }),
  followed_by_more: optional({
    const: true,
    description: 'More kinds may have been reported: the last hundred of a target are kept.',
  }),
  forgotten: optional({ const: true, description: 'In searches: the end user has been erased.' }),
})
export type ListedEvaluation = TypeOf<typeof listedEvaluation>
/** An evaluation with what became of its target, as far as it was reported. */
export type EvaluationWithReports = ListedEvaluation &
  Required<Pick<ListedEvaluation, 'followed_by'>>

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

/** Which evaluations are searched for; canonical. All that is given must hold. */
export interface EvaluationSearchQuery extends PageRequest, TimeRangeQuery {
  readonly flowId?: string
  readonly verdict?: Verdict
  readonly phoneNumber?: string
  readonly emailAddress?: string
  readonly ip?: string
  readonly deviceId?: string
  readonly correlationId?: string
}

type Context = NamesContext &
  AccountStreams &
  Pick<QueryContext, 'keyring'> &
  HeavyContext<{
    listRecordedEvaluations: typeof listRecordedEvaluations
    searchEvaluationDocuments: typeof searchEvaluationDocuments
  }>

/** The account's evaluations behind a position, or the last ones. */
export async function listEvaluations(
  context: Context,
  call: Call,
  asked: EvaluationListQuery,
): Promise<EvaluationList> {
  const account = call.principal.accountId
  const found = await context.heavyQueries.listRecordedEvaluations(call.principal, {
    account,
    ...asked,
  })
  const findName = await loadNames(context, account, found.items.flatMap(listVersionsInEvaluation))
  const { nextAfter, nextBefore } = found
  return {
    evaluations: found.items.map((evaluation) => toListedEvaluation(evaluation, findName)),
    next_after: String(nextAfter),
    ...(nextBefore !== undefined && { next_before: String(nextBefore) }),
  }
}

/**
 * The account's evaluations of a person, an address, a device or a time, in the order of time, each with what was
 * reported of it, or of its target afterwards. Throws `invalid_request` for an invalid cursor of the search,
 * `unavailable`.
 */
export async function searchEvaluations(
  context: Context,
  { principal }: Call,
  asked: EvaluationSearchQuery,
): Promise<Page<EvaluationWithReports>> {
  const account = principal.accountId
  const found = await context.heavyQueries.searchEvaluationDocuments(principal, {
    ...buildSearch(context.keyring, account, asked),
    labelClasses: await findLabelClasses(context, account),
  })
  return { ...found, items: await listFound(context, account, found.items) }
}

/** Evaluations that were found, as lists show them. Throws `unavailable`. */
export async function listFound(
  context: NamesContext,
  account: string,
  found: readonly (EvaluationWithPlan & { readonly reports: LaterReports })[],
): Promise<readonly EvaluationWithReports[]> {
  const findName = await loadNames(context, account, found.flatMap(listVersionsInEvaluation))
  return found.map((one) => ({ ...toListedEvaluation(one, findName), ...one.reports }))
}

function listVersionsInEvaluation({ plan }: EvaluationWithPlan): readonly NamedVersion[] {
  if (!plan) return []
  const { flow_id, flow_version_id, recipes } = plan
  return [
    { id: flow_id, versionId: flow_version_id },
    ...recipes.map(({ recipe_id, version_id }) => ({ id: recipe_id, versionId: version_id })),
  ]
}

function toListedEvaluation(
  { id, body, plan }: EvaluationWithPlan,
  findName: NameLookup,
): ListedEvaluation {
  const { flow_id, at, time, imported, verdict, fragile, recipes } = body
  const flowName = findName(flow_id, plan?.flow_version_id)
  const of = (status: 'LIVE' | 'SHADOW') =>
    recipes.flatMap(({ recipe_id, verdict, score, partial, ...rest }, index) => {
      const pin = plan?.recipes[index]
      // a plan is recorded before its first evaluation; it may only be the other projection that is behind
      if ((pin?.status ?? 'LIVE') !== status) return []
      const name = findName(recipe_id, pin?.version_id)
      const named = name !== undefined && { name }
      const assessment = showAssessment(rest)
      return [{ recipe_id, ...named, verdict, score, ...assessment, partial_evidence: partial }]
    })
  return {
    id,
    flow_id,
    ...(flowName !== undefined && { flow_name: flowName }),
    evaluated_at: isoTime(time),
    ...(imported && { imported }),
    verdict,
    ...(fragile && { fragile }),
    position: String(at),
    recipes: of('LIVE'),
    shadow_recipes: of('SHADOW'),
  }
}

/** Persons are found by their subjects, everything else that was sent by its keyed digest. */
function buildSearch(
  keyring: Pick<Keyring, 'subject'>,
  account: string,
  asked: EvaluationSearchQuery,
): DocumentSearch<EvaluationDocument> {
  const { flowId, verdict, phoneNumber, emailAddress, ip, deviceId, correlationId, ...page } = asked
  const digest = (kind: LookupValue['kind'], value: string) =>
    computeLookupDigest(keyring, account, { kind, value })
  const equal = {
    account,
    ...(flowId !== undefined && { flow_id: flowId }),
    ...(verdict !== undefined && { verdict }),
    ...(phoneNumber !== undefined && {
      phone_digest: keyring.subject(account, 'phone', phoneNumber),
    }),
    ...(emailAddress !== undefined && {
      email_digest: keyring.subject(account, 'email', emailAddress),
    }),
    ...(ip !== undefined && { ip_digest: digest('ip', ip) }),
    ...(deviceId !== undefined && { device_digest: digest('device', deviceId) }),
    ...(correlationId !== undefined && {
      correlation_digest: digest('correlation_id', correlationId),
    }),
  }
  return { ...page, equal }
}

/** What was reported of the evaluation, and of its target later than it. */
export type LaterReports = Pick<
  EvaluationWithReports,
  'followed_by' | 'followed_by_more' | 'label_class' | 'forgotten'
>

interface EvaluationSearch extends DocumentSearch<EvaluationDocument> {
  readonly labelClasses: readonly LabelClass[]
}

/** Heavy query: evaluations in the order of time. Throws `Failure` `invalid_request` for an invalid cursor. */
export async function searchEvaluationDocuments(
  readers: Readers,
  { labelClasses, ...search }: EvaluationSearch,
): Promise<Page<EvaluationWithPlan & { readonly reports: LaterReports }>> {
  const page = await searchPage(readers, evaluationCollection, search)
  const found = await addPlans(readers, page.items)
  const reports = await loadLaterReports(readers, found, labelClasses)
  // one for each
  const items = found.map((one, at) => ({ ...one, reports: reports[at] as LaterReports }))
  return { ...page, items }
}

/** What was reported of each of these, in their order. */
export async function loadLaterReports(
  readers: Readers,
  found: readonly Pick<EvaluationWithPlan, 'id' | 'body'>[],
  labelClasses: readonly LabelClass[],
): Promise<readonly LaterReports[]> {
  const ids = found.flatMap(({ id, body }) => [id, ...listTargetDigests(body)])
  const documents = await getDocuments(readers, targetReportsCollection, ids)
  return found.map((one) => findLaterReports(one, documents, labelClasses))
}

function listTargetDigests({ phone_digest, email_digest }: EvaluationDocument): readonly string[] {
  return [phone_digest, email_digest].filter((digest) => digest !== undefined)
}

/** The last report of each kind as they happened: those that name the evaluation, and of its target the later ones. */
function findLaterReports(
  { id, body: evaluation }: Pick<EvaluationWithPlan, 'id' | 'body'>,
  documents: ReadonlyMap<string, TargetReportsDocument>,
  labelClasses: readonly LabelClass[],
): LaterReports {
  const named = documents.get(id)
  const own = listTargetDigests(evaluation).flatMap((digest) => documents.get(digest) ?? [])
  const later = own
    .flatMap(({ reports }) => reports)
    .filter((report) => isLater(report, evaluation))
    .concat(named?.reports ?? [])
    .sort((one, other) => (isEarlier(one, other) ? -1 : 1))
    .filter(isInForce)
  // of a number and an address the last report of a kind is the one that counts
  const last = new Set(new Map(later.map((one) => [`${one.kind} ${one.name}`, one])).values())
  const label_class = findLastMeaning(later, labelClasses)
  return {
    followed_by: later.filter((report) => last.has(report)).map(toFollowingReport),
    ...(label_class !== undefined && { label_class }),
    // more may have been reported than are remembered
    ...((named?.dropped ??
      own.some(({ dropped }) => dropped && isEarlier(evaluation, dropped))) && {
      followed_by_more: true,
    }),
    // the person it is about, or one of the two
    ...(own.some(({ erased_at = 0 }) => erased_at > evaluation.at) && { forgotten: true }),
  }
}

/** Of the answers of reviews the last one alone counts: one that is withdrawn has no class. */
function isInForce({ name }: TargetReport, at: number, all: readonly TargetReport[]): boolean {
  return !isReviewLabel(name) || at === all.findLastIndex((one) => isReviewLabel(one.name))
}

function toFollowingReport({ kind, name, confidence, time, reported }: TargetReport) {
  return {
    kind,
    name,
    ...(confidence !== undefined && { confidence }),
    ...(time !== reported && { occurred_at: isoTime(time) }),
    last_reported_at: isoTime(reported),
  }
}

/** Of several events the last that has a class counts. */
function findLastMeaning(
  reports: readonly TargetReport[],
  labelClasses: readonly LabelClass[],
): LabelMeaning | undefined {
  for (const { name, confidence } of reports.toReversed()) {
    const found = confidence && findLabelMeaning(labelClasses, name, confidence)
    if (found) return found
  }
  return undefined
}
