/** Pages through an account's evaluations that fulfil the conditions of a `where`. */

import type { Call, Page } from '../../domain/call.ts'
import { evaluationCollection } from '../../projections/evaluation/evaluations.ts'
import type { NamesContext } from '../evaluation/resultNames.ts'
import { computeListDigest, decodeCursor, encodeCursor } from '../reading/page.ts'
import {
  type EvaluationSearchQuery,
  type EvaluationWithReports,
  listFound,
} from './evaluationSearch.ts'
import type { FoundEvaluation } from './scan/foldFound.ts'
import { prepareScan, runScan, type ScanContext, type ScanStep } from './scan/scan.ts'

type Context = ScanContext & NamesContext & { readonly closing: AbortSignal }

/** How long one page scans, for the last of its slices to end before the request does. */
const pageMs = 2_000

/**
 * The evaluations in the order of time, up to the end that the first page fixes. A page may have fewer than there are,
 * even none, and yet a cursor. Throws `invalid_request` for conditions that are not understood and for a cursor of
 * another list, `unavailable`.
 */
export async function listMatchingEvaluations(
  context: Context,
  call: Call,
  asked: EvaluationSearchQuery & { readonly where: string },
): Promise<Page<EvaluationWithReports>> {
  const account = call.principal.accountId
  const { order, limit, cursor, fromMs = 0, toMs } = asked
  const where = joinConditions(asked)
  const range = { where, order, fromMs, ...(toMs !== undefined && { toMs }) }
  const plan = await prepareScan(context, call, { range, fold: { kind: 'found' } })
  const mark = computeListDigest(evaluationCollection.name, { account }, ['where', order, where])
  const scope = { mark, fields: ['time', 'end'] }
  const request = { ...plan.request, ...(cursor !== undefined && readCursor(cursor, scope)) }
  const options = { kind: 'found' as const, signal: context.closing, matchedMax: limit }
  const found: FoundEvaluation[] = []
  let next: ScanStep<unknown>['next']
  const untilMs = context.clock.nowMs() + pageMs
  for await (const step of runScan(context, { ...plan, request }, options)) {
    found.push(...step.folded)
    next = step.next
    if (context.clock.nowMs() >= untilMs) break
  }
  const items = await listFound(context, account, found)
  if (!next) return { items }
  const { after, end } = next
  const last = { id: after.id, body: { time: after.values?.[0], end } }
  return { items, nextCursor: encodeCursor(last, scope) }
}

type Scope = Parameters<typeof decodeCursor>[1]

function readCursor(cursor: string, scope: Scope): Required<ScanStep<unknown>>['next'] {
  const { id, values = [] } = decodeCursor(cursor, scope)
  const [time = 0, end] = values
  return { after: { id, values: [time] }, end: Number(end) }
}

/** The conditions, with what else is searched for. */
function joinConditions(asked: EvaluationSearchQuery & { readonly where: string }): string {
  const { where, flowId, verdict, phoneNumber, emailAddress, ip, deviceId, correlationId } = asked
  const terms = Object.entries({
    ...{ flow: flowId, verdict, phone: phoneNumber, email: emailAddress },
    ...{ ip, device: deviceId, correlation_id: correlationId },
  })
  const conditions = terms.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} = ${JSON.stringify(value)}`],
  )
  return [where, ...conditions].join(' and ')
}
