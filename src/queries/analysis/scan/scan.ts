/** Scans an account's evaluations slice by slice: the one pass that analysts' views fold. */

import type { Call } from '../../../domain/call.ts'
import { normalizeEmail } from '../../../domain/evaluation/email.ts'
import { normalizeStoredPhone } from '../../../domain/evaluation/phone.ts'
import { invalidRequest } from '../../../domain/failure.ts'
import { normalizePublicIp } from '../../../domain/network/ipAddress.ts'
import { computeLookupDigest } from '../../../events/recording/lookupDigest.ts'
import type { AccountStreams } from '../../../state/accounts/requireAccess.ts'
import { findLabelClasses } from '../../feedback/findLabelClasses.ts'
import type { QueryContext } from '../../reading/queryContext.ts'
import type { FoldedOf, FoldName, FoldOrder } from './folds.ts'
import type { ScanSliceRequest, ScanSliceResult, SliceScanner } from './scanSlice.ts'
import { type Condition, parseWhere } from './where.ts'

/** What scanning takes of a context. */
export interface ScanContext extends AccountStreams, Pick<QueryContext, 'keyring' | 'clock'> {
  /** Answers a slice on the thread of the read models. */
  readonly scanSlice: SliceScanner
}

/** Which evaluations are scanned. */
export interface ScanRange {
  readonly where?: string
  /** Of the rules' clock, in milliseconds since the Unix epoch: included; a week before the end by default. */
  readonly fromMs?: number
  /** The same, excluded; now by default. */
  readonly toMs?: number
  readonly order?: ScanSliceRequest['order']
  /** Id of an evaluation behind which it begins, in its order. */
  readonly behind?: string
}

/** One step of a scan. */
export interface ScanStep<Folded> {
  readonly folded: Folded
  /** Evaluations looked at, and those that match, by this step and those before it. */
  readonly scanned: number
  readonly matched: number
  /** How much of the range of time is done, 0 to 1. */
  readonly done: number
  /** The last evaluation that the step looked at; absent where it found none. */
  readonly reached?: ScanSliceResult['reached']
  /** Of the clock: where the last of its evaluations stands. */
  readonly reachedMs: number
  /** Where it goes on; absent at the end of the range. */
  readonly next?: Required<Pick<ScanSliceRequest, 'after' | 'end'>>
}

export interface ScanPlan {
  readonly fromMs: number
  readonly toMs: number
  readonly request: ScanSliceRequest
}

const weekMs = 7 * 24 * 60 * 60 * 1_000

/**
 * Prepares a scan. Throws `invalid_request` for a `where` that is not understood, and a range that
 * ends before it begins.
 */
export async function prepareScan(
  context: ScanContext,
  { principal: { accountId: account } }: Call,
  { range, fold }: { readonly range: ScanRange; readonly fold: FoldOrder },
): Promise<ScanPlan> {
  const where = readWhere(context, account, range.where ?? '')
  // one more, so that what was evaluated just now is in it
  const toMs = range.toMs ?? context.clock.nowMs() + 1
  const fromMs = range.fromMs ?? Math.max(0, toMs - weekMs)
  if (fromMs >= toMs) throw invalidRequest([{ path: 'from', message: 'Must be before to.' }])
  const { order = 'newest', behind } = range
  const labelClasses = await findLabelClasses(context, account)
  const request = { account, fromMs, toMs, order, where, labelClasses, fold }
  return { fromMs, toMs, request: { ...request, ...(behind !== undefined && { behind }) } }
}

const same = (text: string): string => text

/** What is compared by its digest, as it was when the digest was made; undefined for what is none. */
const canonicalForms = {
  phone: normalizeStoredPhone,
  email: normalizeEmail,
  ip: normalizePublicIp,
  device: same,
  correlation_id: same,
}

/** The conditions of the text. Throws `invalid_request` naming `where`. */
function readWhere(
  { keyring }: Pick<QueryContext, 'keyring'>,
  account: string,
  text: string,
): readonly Condition[] {
  const parsed = parseWhere(text, (name, value) => {
    const kind = name as keyof typeof canonicalForms
    const canonical = canonicalForms[kind](value)
    if (canonical === undefined) return undefined
    return kind === 'phone' || kind === 'email'
      ? keyring.subject(account, kind, canonical)
      : computeLookupDigest(keyring, account, { kind, value: canonical })
  })
  if ('problem' in parsed) throw invalidRequest([{ path: 'where', message: parsed.problem }])
  return parsed.conditions
}

/**
 * Runs it to its end, or until so many match. The caller may stop at any step: nothing more is read then. Throws
 * `unavailable` when the read models, the log or the keys cannot be read.
 */
export async function* runScan<Name extends FoldName>(
  { scanSlice }: Pick<ScanContext, 'scanSlice'>,
  { request, fromMs, toMs }: ScanPlan,
  options: { readonly signal: AbortSignal; readonly matchedMax?: number; readonly kind: Name },
): AsyncGenerator<ScanStep<FoldedOf<Name>>, void, undefined> {
  const { signal, matchedMax } = options
  let scanned = 0
  let matched = 0
  for (let next: ScanSliceRequest | undefined = request; next; ) {
    const left = matchedMax === undefined ? {} : { matchedMax: matchedMax - matched }
    const slice: ScanSliceResult = await scanSlice({ ...next, ...left }, signal)
    scanned += slice.scanned
    matched += slice.matched
    const { after, end, reached, reachedMs } = slice
    const passedMs = request.order === 'newest' ? toMs - reachedMs : reachedMs - fromMs
    yield {
      folded: slice.folded as FoldedOf<Name>,
      ...{ scanned, matched, reached, reachedMs, done: after ? passedMs / (toMs - fromMs) : 1 },
      ...(after && { next: { after, end } }),
    }
    if (matchedMax !== undefined && matched >= matchedMax) return
    next = after && { ...request, after, end }
  }
}
