/** Lists saved searches, and what of their results waits for a person's word. */

import type { Call } from '../../domain/call.ts'
import type { ReportedTarget } from '../../domain/evaluation/feedback.ts'
import { Failure, invalidRequest, notFound } from '../../domain/failure.ts'
import {
  booleanSchema,
  nameSchema,
  openObject,
  optional,
  type TypeOf,
  text,
  timeSchema,
} from '../../domain/jsonSchema.ts'
import { verdictSchema } from '../../engine/run/result.ts'
import { accountStream } from '../../events/accounts/account.ts'
import { isInForce, type ReviewState, reviewStream } from '../../events/analysis/review.ts'
import { type SavedSearch, searchesStream } from '../../events/analysis/savedSearch.ts'
import { openEvent } from '../../events/catalogue.ts'
import { isForgotten } from '../../events/recording/sealing.ts'
import {
  claimSchema,
  findSearch,
  type ReviewStreams,
  showClaim,
} from '../../state/analysis/reviewStreamTypes.ts'
import { findEvaluationRecord } from '../../state/evaluation/readEvaluationRecord.ts'
import type { RecordContext } from '../evaluation/decryptEvaluation.ts'
import type { QueryContext } from '../reading/queryContext.ts'
import type { EvaluationWithReports } from './evaluationSearch.ts'
import { listMatchingEvaluations } from './listMatchingEvaluations.ts'
import { parseWhere, whereMax } from './scan/where.ts'

export const savedSearchSchema = openObject('SavedSearch', {
  id: text,
  name: nameSchema,
  where: optional(text),
  flow_id: optional(text),
})

export type SavedSearchView = TypeOf<typeof savedSearchSchema>

const waitingSchema = openObject('WaitingReview', {
  evaluation_id: text,
  evaluated_at: timeSchema,
  verdict: verdictSchema,
  flow_id: text,
  flow_name: optional(text),
  claim: optional(claimSchema),
})

export type WaitingReview = TypeOf<typeof waitingSchema>

export const reviewQueueSchema = openObject('ReviewQueue', {
  waiting: {
    type: 'array',
    items: waitingSchema,
    description: 'The oldest fifty of the last thirty days that have no answer.',
  },
  more: { ...booleanSchema, description: 'Whether more may wait.' },
})
type ReviewQueue = TypeOf<typeof reviewQueueSchema>

/** How far back evaluations are reviewed. */
const reviewedMs = 30 * 24 * 3_600_000
const listedMax = 50
/** Pages that are looked through for one that waits, each of up to ten slices. */
const pagesMax = 20

/** What tells who a person is stays out of what is saved in clear. */
const personal = /^(?:phone|email|ip|device|correlation_id|target\..*|signal\.(?:ip|device_id))$/

/** Throws `invalid_request` for conditions that are not understood, or name a person. */
export function checkSavedWhere(where: string): void {
  const parsed = parseWhere(where, () => '-')
  const refuse = (message: string) => invalidRequest([{ path: 'where', message }])
  if ('problem' in parsed) throw refuse(parsed.problem)
  const named = parsed.conditions.find(({ name }) => personal.test(name))
  if (parsed.conditions.length > whereMax.conditions - 1) {
    throw refuse(`Must have at most ${whereMax.conditions - 1} conditions.`)
  }
  if (named) throw refuse(`${named.name} tells who a person is, and is not saved.`)
}

type Searches = Pick<ReviewStreams, 'searches'>

/** In the order in which they were saved. */
export async function listSearches(
  { searches }: Searches,
  { principal }: Call,
): Promise<readonly SavedSearch[]> {
  return (await searches.catchUp(searchesStream(principal.accountId))).state
}

/** Throws `not_found`. */
export async function requireSearch(context: Searches, call: Call, id: string) {
  return findSearch(await listSearches(context, call), id)
}

type Context = Parameters<typeof listMatchingEvaluations>[0] &
  ReviewStreams &
  Pick<QueryContext, 'clock'>

/** What waits, the oldest first, with who has taken it. Throws `not_found`. */
export async function findReviewQueue(
  context: Context,
  call: Call,
  searchId: string,
): Promise<ReviewQueue> {
  const state = await readReviews(context, call)
  const nowMs = context.clock.nowMs()
  const account = await context.accounts.getFolded(accountStream(call.principal.accountId))
  const isWanted = (id: string): boolean => [undefined, 'withdrawn'].includes(state.get(id)?.answer)
  const { found, more } = await findWaiting(context, call, { searchId, isWanted })
  const show = (id: string) => {
    const claim = state.get(id)
    if (!claim || !isInForce(claim, nowMs) || claim.answer !== undefined) return {}
    const { name } = account.state.tokens.get(claim.by) ?? {}
    return { claim: { ...showClaim(id, claim), ...(name !== undefined && { name }) } }
  }
  const waiting = found.map(({ id, evaluated_at, verdict, flow_id, flow_name }) => ({
    ...{ evaluation_id: id, evaluated_at, verdict, flow_id },
    ...(flow_name !== undefined && { flow_name }),
    ...show(id),
  }))
  return { waiting, more }
}

/** The ids of some that wait and nobody had taken, the oldest first. Throws `not_found`. */
export async function listCandidates(
  context: Context,
  call: Call,
  searchId: string,
): Promise<readonly string[]> {
  const state = await readReviews(context, call)
  const nowMs = context.clock.nowMs()
  const isWanted = (id: string): boolean => {
    const claim = state.get(id)
    return !claim || !isInForce(claim, nowMs) || claim.answer === 'withdrawn'
  }
  const { found } = await findWaiting(context, call, { searchId, isWanted })
  return found.map(({ id }) => id)
}

async function readReviews({ reviews }: Context, { principal }: Call): Promise<ReviewState> {
  return (await reviews.catchUp(reviewStream(principal.accountId))).state
}

interface Sought {
  readonly searchId: string
  readonly isWanted: (id: string) => boolean
}

async function findWaiting(context: Context, call: Call, { searchId, isWanted }: Sought) {
  const { where, flow_id } = await requireSearch(context, call, searchId)
  const unanswered = 'review = none'
  const asked = {
    where: where === undefined ? unanswered : `${where} and ${unanswered}`,
    ...(flow_id !== undefined && { flowId: flow_id }),
    ...({ order: 'oldest', limit: listedMax } as const),
    fromMs: context.clock.nowMs() - reviewedMs,
  }
  const found: EvaluationWithReports[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const page = await listMatchingEvaluations(context, call, {
      ...asked,
      ...(cursor !== undefined && { cursor }),
    })
    found.push(...page.items.filter(({ id, forgotten }) => !forgotten && isWanted(id)))
    cursor = page.nextCursor
    if (cursor === undefined || found.length >= listedMax) break
  }
  return { found: found.slice(0, listedMax), more: cursor !== undefined }
}

/** The end user that an answer is about. Throws `not_found`, `evidence_forgotten`. */
export async function findReviewTarget(
  { events, keyring }: RecordContext,
  { principal }: Call,
  id: string,
): Promise<ReportedTarget> {
  const record = await findEvaluationRecord(events, id)
  if (record?.account !== principal.accountId) throw notFound()
  const { phone_number, email_address } = (await openEvent(record.decoded, keyring)).event.data
  for (const [type, value] of Object.entries({ phone_number, email_address })) {
    if (value === undefined || isForgotten(value)) continue
    return { type: type as ReportedTarget['type'], value: value as string }
  }
  throw new Failure('evidence_forgotten', 'The end user has been erased.')
}
