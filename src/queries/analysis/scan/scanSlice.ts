/** Scans the next recorded evaluations of an account: filters them, and folds what is wanted. */

import { getHeapStatistics } from 'node:v8'
import type { LabelClass } from '../../../domain/evaluation/labelClasses.ts'
import { invalidRequest, unavailable } from '../../../domain/failure.ts'
import { type LoadContext, pauseLongWork } from '../../../domain/load/scheduler.ts'
import { openWeighedCache } from '../../../domain/load/weighedCache.ts'
import type { Mutable } from '../../../domain/mutable.ts'
import { decode, openPersonal, sealedUnder } from '../../../events/catalogue.ts'
import { evaluationStream, readClock } from '../../../events/evaluation/evaluationEvents.ts'
import { isForgotten, type Keyring, type KeyState } from '../../../events/recording/sealing.ts'
import { evaluationCollection } from '../../../projections/evaluation/evaluations.ts'
import { planCollection } from '../../../projections/evaluation/plans.ts'
import { targetReportsCollection } from '../../../projections/feedback/targetReports.ts'
import {
  type After,
  findDocuments,
  fixEnd,
  getDocuments,
  type Readers,
  toAfter,
} from '../../../projections/running/documents.ts'
import type { CompiledPlanCache } from '../../../state/evaluation/flowPlanCache.ts'
import {
  type EvaluationRecord,
  readPinnedPlan,
} from '../../../state/evaluation/readEvaluationRecord.ts'
import type { EventStore, RecordedEvent } from '../../../stores/eventStore.ts'
import { compileRecordedPlan, readRecordedEvidence } from '../../evaluation/decryptEvaluation.ts'
import { addPlans, type EvaluationWithPlan } from '../../evaluation/evaluationsByPosition.ts'
import { loadLaterReports } from '../evaluationSearch.ts'
import { type Fold, type FoldOrder, openFold } from './folds.ts'
import type { Needs, ScannedEvaluation, ScannedPlan } from './scanNames.ts'
import { addNeeds, type Condition, compileWhere, type Matcher } from './where.ts'

/** What one slice is asked; plain data. */
export interface ScanSliceRequest {
  readonly account: string
  /** Of the clock that the rules saw: milliseconds since the Unix epoch, included, and excluded. */
  readonly fromMs: number
  readonly toMs: number
  readonly order: 'newest' | 'oldest'
  readonly where: readonly Condition[]
  readonly labelClasses: readonly LabelClass[]
  readonly fold: FoldOrder
  /** Position in the log up to which evaluations count; fixed by the first slice unless given. */
  readonly end?: number
  /** The evaluation behind which the slice begins. */
  readonly after?: After
  /** Its id, of the first slice, where the place is not known. */
  readonly behind?: string
  /** It ends with this many that match. */
  readonly matchedMax?: number
  /** It is of a job: one slice of all jobs at a time, so that whoever waits for an answer has every second slice. */
  readonly isOfJob?: true
}

export interface ScanSliceResult {
  /** What the fold made of the slice. */
  readonly folded: unknown
  readonly scanned: number
  readonly matched: number
  /** Of the clock: everything before it, or behind it where the oldest come first, has been scanned. */
  readonly reachedMs: number
  readonly end: number
  /** The last evaluation that was looked at. */
  readonly reached?: After | undefined
  /** Where the next slice begins; absent at the end. */
  readonly after?: After
}

export type SliceScanner = (
  asked: ScanSliceRequest,
  signal: AbortSignal,
) => Promise<ScanSliceResult>

interface Sources extends Readers, LoadContext {
  readonly events: Pick<EventStore, 'readStream' | 'readAll'>
  /** The state of each of these keys; absent where it is lost. */
  readonly keys: Keyring['keys']
  readonly compiledPlans: CompiledPlanCache
}

/** Evaluations read at a time, and of one slice; a slice ends sooner when it has taken so long. */
const pageMax = 200
const sliceMax = 2_000
const sliceMs = 200
/** Events read at a time. */
const atOnce = 64
/** Of the memory that the thread may use, what plans without expressions may hold, and what a rule of one takes. */
const pinnedShare = 1 / 32
const pinnedRuleBytes = 400

/** Opens the scanning in slices, which gives way to other work between evaluations. */
export function openSliceScanner(sources: Sources): SliceScanner {
  const pinnedPlans = openWeighedCache<ScannedPlan>(
    (getHeapStatistics().heap_size_limit * pinnedShare) / pinnedRuleBytes,
  )
  const context = { ...sources, pinnedPlans }
  // one at a time: each holds a page of evaluations, and the plan that ran
  const scan = oneAtATime((asked, signal) => scanOneSlice(context, asked, signal))
  const scanForJob = oneAtATime(scan)
  return (asked, signal) => (asked.isOfJob ? scanForJob : scan)(asked, signal)
}

function oneAtATime(scan: SliceScanner): SliceScanner {
  let last: Promise<unknown> = Promise.resolve()
  return (asked, signal) => {
    const slice = last.then(() => scan(asked, signal))
    last = slice.catch(() => undefined)
    return slice
  }
}

async function scanOneSlice(
  context: Context,
  asked: ScanSliceRequest,
  signal: AbortSignal,
): Promise<ScanSliceResult> {
  const end = fixEnd(context, scannedCollections, asked.end)
  const untilMs = performance.now() + sliceMs
  const matcher = compileWhere(asked.where)
  const fold = openFold(asked.fold, matcher, context)
  const needs = addNeeds([matcher.needs, fold.needs])
  const after = asked.after ?? (await findPlace(context, asked))
  const slice: Slice = {
    ...{ asked: { ...asked, ...(after && { after }) }, end, matcher, fold, needs, signal },
    ...{ scanned: 0, matched: 0 },
    limit: Math.min(pageMax, asked.matchedMax ?? pageMax),
  }
  // a page at the least, however long ago the slice began: one without an evaluation would be the end of the scan
  let more: boolean
  do more = await scanPage(context, slice)
  while (more && !isFull(slice) && performance.now() < untilMs)
  const { scanned, matched, last, reachedMs } = slice
  return {
    ...{ folded: fold.take(), scanned, matched, end, reached: last },
    reachedMs: reachedMs ?? (asked.order === 'newest' ? asked.toMs : asked.fromMs),
    ...(more && last && { after: last }),
  }
}

/** Where an evaluation stands. Throws `invalid_request` for an id that is none of the account's. */
async function findPlace(
  context: Context,
  { account, behind }: ScanSliceRequest,
): Promise<After | undefined> {
  if (behind === undefined) return undefined
  const body = (await getDocuments(context, evaluationCollection, [behind])).get(behind)
  if (body?.account === account) return toAfter({ id: behind, body }, ['time'])
  throw invalidRequest([{ path: 'after', message: 'There is no evaluation with this id.' }])
}

const scannedCollections = [evaluationCollection, planCollection, targetReportsCollection]

/** A slice under way. */
interface Slice {
  readonly asked: ScanSliceRequest
  readonly end: number
  readonly matcher: Matcher
  readonly fold: Fold<unknown>
  readonly needs: Needs
  readonly signal: AbortSignal
  scanned: number
  matched: number
  /** Evaluations of the next page: no more than are wanted, since each may be opened; more where few match. */
  limit: number
  /** The last evaluation that was looked at, and its time. */
  last?: After
  reachedMs?: number
}

/** Looks at the next page; false at the end of the evaluations. */
async function scanPage(context: Context, slice: Slice): Promise<boolean> {
  const { asked, end, matcher, fold, needs } = slice
  const { account, fromMs, toMs, order } = asked
  const after = slice.last ?? asked.after
  const { limit } = slice
  slice.limit = Math.min(pageMax, 2 * limit)
  const page = await findDocuments(context, evaluationCollection, {
    where: { account, time: { gte: fromMs, lt: toMs } },
    sort: [order === 'newest' ? '-time' : 'time'],
    limit,
    ...(after && { after }),
  })
  const known = page.filter(({ body }) => body.at <= end)
  const found = (await addPlans(context, known)).map(asScanned)
  if (needs.plan) await addPinnedPlans(context, found)
  const read = await readAll(context, found.filter(matcher.mayMatch), slice)
  const readById = new Map(read.map((one) => [one.id, one]))
  for (const document of page) {
    const one = readById.get(document.id)
    if (one && matcher.matches(one)) {
      await fold.add(one)
      slice.matched += 1
    }
    slice.scanned += Number(document.body.at <= end)
    slice.last = toAfter(document, ['time'])
    slice.reachedMs = document.body.time
    if (slice.matched === asked.matchedMax || fold.isFull?.()) return true
    await giveWay(context, slice)
  }
  return page.length === limit
}

function isFull({ scanned, matched, fold, asked: { matchedMax } }: Slice): boolean {
  return scanned >= sliceMax || matched === matchedMax || fold.isFull?.() === true
}

/** Pauses when it is time to. Throws `unavailable` once nobody waits for the slice. */
async function giveWay(context: Context, { signal }: Pick<Slice, 'signal'>): Promise<void> {
  await pauseLongWork(context)
  if (signal.aborted) throw unavailable('The scan was given up.')
}

/** One literal, since it is made of every evaluation that is looked at. */
function asScanned({ id, body, plan }: EvaluationWithPlan): Scanned {
  return {
    id,
    body,
    planDocument: plan,
    isForgotten: false,
    reports: undefined,
    record: undefined,
    plan: undefined,
    evidence: undefined,
    recorded: undefined,
    runnable: undefined,
    decoded: undefined,
  }
}

/** What has been read of an evaluation so far. */
interface Scanned extends Mutable<ScannedEvaluation> {
  /** Its event, with what is sealed still sealed. */
  decoded: EvaluationRecord['decoded'] | undefined
}

interface Context extends Sources {
  readonly pinnedPlans: ReturnType<typeof openWeighedCache<ScannedPlan>>
}

/** What the question needs of these evaluations, in their order. */
async function readAll(
  context: Context,
  found: readonly Scanned[],
  slice: Slice,
): Promise<readonly ScannedEvaluation[]> {
  const { needs, asked, fold } = slice
  if (needs.reports) {
    const reports = await loadLaterReports(context, found, asked.labelClasses)
    for (const [at, one] of found.entries()) one.reports = reports[at]
  }
  if (needs.record) await addRecords(context, found, slice)
  for (const one of needs.runnable ? found : []) {
    const { account, plan: digest } = one.body
    one.runnable = await compileRecordedPlan(context, { account, digest })
    one.plan = one.runnable
    await giveWay(context, slice)
  }
  if (needs.evidence || needs.recorded) {
    await openAll(context, fold.opens ? found.filter(fold.opens) : found, slice)
  }
  return found
}

async function openAll(context: Context, found: readonly Scanned[], slice: Slice): Promise<void> {
  const sealed = found.flatMap(({ decoded }) => (decoded ? sealedUnder(decoded) : []))
  const keys = await context.keys([...new Set(sealed)])
  for (const one of found) {
    openEvidence(one, keys, slice.needs)
    await giveWay(context, slice)
  }
}

/**
 * Adds the event of each in the log. They often stand close together in it, so stretches are read as long as half of
 * what is in them is wanted, and the others one by one. Throws `unavailable` where the log does not have one.
 */
async function addRecords(
  context: Context,
  found: readonly Scanned[],
  slice: Slice,
): Promise<void> {
  const { events } = context
  const wanted = new Map(found.map((one) => [evaluationStream(one.id), one]))
  const add = async (recorded: readonly RecordedEvent[]): Promise<number> => {
    let added = 0
    for (const one of recorded) {
      const evaluation = one.type === 'FlowEvaluated' ? wanted.get(one.stream) : undefined
      if (!evaluation) continue
      evaluation.decoded = decode(one) as EvaluationRecord['decoded']
      evaluation.record = evaluation.decoded.event.data
      wanted.delete(one.stream)
      added += 1
      await giveWay(context, slice)
    }
    return added
  }
  const addOne = async (id: string) =>
    add(await events.readStream(evaluationStream(id), { from: 0, limit: 1 }))
  const inOrder = found.toSorted((one, other) => one.body.at - other.body.at)
  if (inOrder[0]) await addOne(inOrder[0].id)
  for (let after = inOrder[0]?.body.at; after !== undefined && wanted.size > 0; ) {
    const stretch = await events.readAll({ after, limit: Math.min(wanted.size, atOnce) })
    after = (await add(stretch)) * 2 >= stretch.length ? stretch.at(-1)?.position : undefined
  }
  await Promise.all([...wanted.values()].map(({ id }) => addOne(id)))
  for (const { id } of wanted.values()) {
    throw unavailable(`The log has no evaluation ${id}: build the read models again.`)
  }
}

/** Throws `unavailable` where a key is lost. */
function openEvidence(one: Scanned, keys: ReadonlyMap<string, KeyState>, needs: Needs): void {
  if (!one.decoded) return
  const { data } = openPersonal(one.decoded, keys).event
  const timeMs = readClock(one.decoded)
  const { phone_number, email_address } = data
  one.record = data
  if (needs.evidence) one.evidence = readRecordedEvidence(data, timeMs, 'account')
  if (needs.recorded) one.recorded = readRecordedEvidence(data, timeMs)
  one.isForgotten =
    isForgotten(data.evidence) || isForgotten(phone_number) || isForgotten(email_address)
}

/** Adds the plans that ran, without the expressions of their rules. */
async function addPinnedPlans(context: Context, found: readonly Scanned[]): Promise<void> {
  for (const one of found) one.plan = await findPinnedPlan(context, one.body.plan)
}

async function findPinnedPlan(context: Context, digest: string): Promise<ScannedPlan> {
  const known = context.pinnedPlans.get(digest)
  if (known) return known
  const found = { digest, plan: await readPinnedPlan(context, digest) }
  const rules = found.plan.recipes.reduce((sum, recipe) => sum + recipe.rules.length, 1)
  context.pinnedPlans.set(digest, found, rules)
  return found
}
