/** Sums the counts of an account's flows and recipes over a range, by bucket, and a week before. */

import { invalidRequest } from '../../../domain/failure.ts'
import { isoTime } from '../../../domain/text/isoTime.ts'
import {
  type CountedUnit,
  dayMs,
  hourMs,
  type PlanCountsDocument,
  planCountsCollection,
  planDayCountsCollection,
} from '../../../projections/analysis/counts.ts'
import { type PlanDocument, planCollection } from '../../../projections/evaluation/plans.ts'
import { findDocuments, getDocument, type Readers } from '../../../projections/running/documents.ts'
import {
  addCounts,
  buildHistogram,
  computeFlowFigures,
  computeRecipeFigures,
  createTally,
  type FlowFigures,
  type RecipeFigures,
  type Tally,
} from './figures.ts'
import { type CountedRange, readCounts } from './readCounts.ts'

/** Times in milliseconds since the Unix epoch, all at the start of an hour. */
export interface CountsQuery {
  readonly account: string
  /** All flows unless given. */
  readonly flowId?: string
  /** Starts of the buckets, ascending, and last the end of the range. */
  readonly starts: readonly number[]
  /** What is read: days where the buckets are those of UTC. A scan reads evaluations. */
  readonly unit: CountedUnit | 'evaluation'
  /** End of the hours that are over, at most that of the range. */
  readonly finishedMs: number
  readonly weekBefore: Pick<CountedRange, 'fromMs' | 'toMs'>
}

/** What a flow, or a recipe of it, came to. */
interface Series<Figures> {
  readonly figures: Figures
  /** Of the hours of the range that are over. */
  readonly whole_hours: Figures
  /** Of the same hours a week before. */
  readonly week_before: Figures
  readonly buckets: readonly (Figures & { readonly from: string; readonly unfinished?: true })[]
}

export interface FlowSums extends Series<FlowFigures> {
  readonly flow_id: string
  /** The version that was counted last, which has the name; likewise of a recipe. */
  readonly version_id: string | undefined
  readonly imported: boolean
  readonly missing: readonly {
    readonly name: string
    readonly evaluations: number
    readonly fragile: number
  }[]
  readonly recipes: readonly RecipeSums[]
}

interface RecipeSums extends Series<RecipeFigures> {
  readonly recipe_id: string
  readonly version_id: string | undefined
  readonly status: 'LIVE' | 'SHADOW'
  /** Those that it had in the range and the week before, ascending. */
  readonly thresholds: readonly number[]
  readonly histogram: ReturnType<typeof buildHistogram>
}

/** Buckets of all flows and recipes of an answer, and hours that are summed up for it. */
const bucketsMax = 20_000
const hoursMax = 200_000

/**
 * Heavy query: the sums of each flow with counts in the range or a week before, or of the one asked for; imported
 * evaluations apart, behind the others. Throws `invalid_request` when that is more than an answer may have.
 */
export async function sumCounts(
  readers: Readers,
  asked: CountsQuery,
): Promise<readonly FlowSums[]> {
  const plans = new Map<string, PlanDocument | undefined>()
  const sums = createCountSums(asked)
  for await (const flowId of listCountedFlows(readers, asked)) {
    for await (const body of readSpans(readers, { ...asked, flowId })) {
      if (!plans.has(body.plan)) {
        plans.set(body.plan, (await getDocument(readers, planCollection, body.plan))?.body)
      }
      sums.add(body, plans.get(body.plan))
    }
  }
  return sums.list()
}

/**
 * Sums counts of plans, those of a plan in the order of time. The flow that is asked for has sums also where it has
 * nothing but zeros. `add` throws `invalid_request` for more figures than an answer may have.
 */
export function createCountSums(asked: CountsQuery) {
  const flows = new Map<string, FlowTallies>()
  const requireFlow = (flowId: string, imported: boolean): FlowTallies => {
    const key = `${flowId} ${imported ? 1 : 0}`
    const known = flows.get(key) ?? createFlowTallies(flowId, imported)
    flows.set(key, known)
    return known
  }
  if (asked.flowId !== undefined) requireFlow(asked.flowId, false)
  let series = 0
  return {
    add: (body: PlanCountsDocument, plan: PlanDocument | undefined): void => {
      // between the end of the week before and the range
      if (!isIn(body.from, rangeOf(asked)) && !isIn(body.from, asked.weekBefore)) return
      const flow = requireFlow(body.flow_id, body.imported)
      const before = flow.recipes.size
      const isNew = flow.range.evaluations + flow.weekBefore.evaluations === 0
      addDocument(flow, body, { asked, plan })
      series += flow.recipes.size - before + (isNew ? 1 : 0)
      assertAnswerable(series, asked)
    },
    list: (): readonly FlowSums[] =>
      [...flows]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([, flow]) => toFlowSums(flow, asked)),
  }
}

function assertAnswerable(series: number, asked: CountsQuery): void {
  const { fromMs, toMs } = rangeOf(asked)
  const hours = asked.unit === 'hour' ? (toMs - fromMs) / hourMs : 0
  const isShort = series * (asked.starts.length - 1) <= bucketsMax && series * hours <= hoursMax
  if (isShort) return
  const message = `These are more than ${bucketsMax} figures of flows and recipes by time, or ${hoursMax} hours: ask for one flow, a shorter range, or days of UTC.`
  throw invalidRequest([{ path: 'from', message }])
}

/** The flow asked for, or all that have counts: from one to the next, without reading those of a flow. */
async function* listCountedFlows(
  readers: Readers,
  { account, flowId }: CountsQuery,
): AsyncGenerator<string, void, undefined> {
  if (flowId !== undefined) return yield flowId
  // the characters behind a slash, and behind the digits and letters of a time
  const end = `${account}0`
  for (let from = `${account}/`; ; ) {
    const where = { id: { gte: from, lt: end } }
    const [found] = await findDocuments(readers, planDayCountsCollection, { where, limit: 1 })
    if (!found) return
    yield found.body.flow_id
    from = `${account}/${found.body.flow_id}0`
  }
}

/** The tallies of a series; of the buckets only those with evaluations. */
interface Tallies {
  readonly range: Tally
  readonly wholeHours: Tally
  readonly weekBefore: Tally
  readonly buckets: Map<number, Tally>
}

interface FlowTallies extends Tallies {
  readonly flow_id: string
  version_id: string | undefined
  readonly imported: boolean
  readonly missing: Map<string, { evaluations: number; fragile: number }>
  readonly recipes: Map<string, RecipeTallies>
}

interface RecipeTallies extends Tallies {
  readonly recipe_id: string
  version_id: string | undefined
  readonly status: 'LIVE' | 'SHADOW'
  readonly thresholds: Set<number>
}

function createTallies(): Tallies {
  return {
    range: createTally(),
    wholeHours: createTally(),
    weekBefore: createTally(),
    buckets: new Map(),
  }
}

function createFlowTallies(flow_id: string, imported: boolean): FlowTallies {
  const none = { missing: new Map(), recipes: new Map() }
  return { ...createTallies(), ...none, flow_id, version_id: undefined, imported }
}

type FlowQuery = CountsQuery & { readonly flowId: string }

async function* readSpans(
  readers: Readers,
  asked: FlowQuery,
): AsyncGenerator<PlanCountsDocument, void, undefined> {
  for (const span of listSpans(asked)) {
    const collection = span.unit === 'hour' ? planCountsCollection : planDayCountsCollection
    for await (const page of readCounts(readers, collection, { ...asked, ...span })) {
      for (const { body } of page) yield body
    }
  }
}

type Times = Pick<CountedRange, 'fromMs' | 'toMs'>
type Span = Times & Pick<CountedRange, 'unit'>

/**
 * The range and the week before it, in the order of time: days are read as such, but for those in which a comparison
 * ends, which are read by the hour.
 */
function listSpans(asked: CountsQuery): readonly Span[] {
  const { unit, weekBefore, finishedMs } = asked
  const { toMs } = rangeOf(asked)
  if (unit !== 'day') return [{ unit: 'hour', fromMs: weekBefore.fromMs, toMs }]
  const cuts = [weekBefore.toMs, finishedMs].flatMap((endMs) =>
    endMs % dayMs === 0 ? [] : [endMs - (endMs % dayMs)],
  )
  const spans: Span[] = []
  let atMs = weekBefore.fromMs
  for (const dayStartMs of cuts) {
    spans.push({ unit: 'day', fromMs: atMs, toMs: dayStartMs })
    atMs = dayStartMs + dayMs
    spans.push({ unit: 'hour', fromMs: dayStartMs, toMs: atMs })
  }
  return [...spans, { unit, fromMs: atMs, toMs }].filter((one) => one.fromMs < one.toMs)
}

export function rangeOf({ starts }: Pick<CountsQuery, 'starts'>): Times {
  return { fromMs: starts[0] ?? 0, toMs: starts.at(-1) ?? 0 }
}

interface AddedTo {
  readonly asked: CountsQuery
  readonly plan: PlanDocument | undefined
}

function addDocument(flow: FlowTallies, body: PlanCountsDocument, { asked, plan }: AddedTo): void {
  const { evaluations, from: timeMs, missing, recipes } = body
  flow.version_id = plan?.flow_version_id
  addToSeries(flow, body, { asked, timeMs })
  if (isIn(timeMs, rangeOf(asked))) {
    for (const [name, count, fragile] of missing) {
      const sum = flow.missing.get(name) ?? { evaluations: 0, fragile: 0 }
      flow.missing.set(name, {
        evaluations: sum.evaluations + count,
        fragile: sum.fragile + fragile,
      })
    }
  }
  for (const [at, recipe] of recipes.entries()) {
    // a plan is on record before its first evaluation; it may only be the other projection that is behind
    const { status = 'LIVE', threshold } = plan?.recipes[at] ?? {}
    const key = `${status} ${recipe.recipe_id}`
    const tallies = flow.recipes.get(key) ?? createRecipeTallies(recipe.recipe_id, status)
    flow.recipes.set(key, tallies)
    tallies.version_id = plan?.recipes[at]?.version_id
    if (threshold !== undefined) tallies.thresholds.add(threshold)
    addToSeries(tallies, { ...recipe, evaluations }, { asked, timeMs })
  }
}

function createRecipeTallies(recipe_id: string, status: 'LIVE' | 'SHADOW'): RecipeTallies {
  return { ...createTallies(), recipe_id, version_id: undefined, status, thresholds: new Set() }
}

function addToSeries(
  { range, wholeHours, weekBefore, buckets }: Tallies,
  counted: Parameters<typeof addCounts>[1],
  { asked, timeMs }: { readonly asked: CountsQuery; readonly timeMs: number },
): void {
  const { starts, finishedMs } = asked
  const { fromMs, toMs } = rangeOf(asked)
  if (isIn(timeMs, asked.weekBefore)) addCounts(weekBefore, counted)
  if (isIn(timeMs, { fromMs, toMs: finishedMs })) addCounts(wholeHours, counted)
  if (!isIn(timeMs, { fromMs, toMs })) return
  addCounts(range, counted)
  const at = findBucket(starts, timeMs)
  const bucket = buckets.get(at) ?? createTally()
  buckets.set(at, bucket)
  addCounts(bucket, counted)
}

/** The last that starts no later. */
export function findBucket(starts: readonly number[], timeMs: number): number {
  let [found, behind] = [0, starts.length]
  while (behind - found > 1) {
    const middle = (found + behind) >>> 1
    if ((starts[middle] ?? 0) <= timeMs) found = middle
    else behind = middle
  }
  return found
}

export function isIn(timeMs: number, { fromMs, toMs }: Times): boolean {
  return fromMs <= timeMs && timeMs < toMs
}

function toFlowSums(flow: FlowTallies, asked: CountsQuery): FlowSums {
  const { flow_id, version_id, imported, missing, recipes } = flow
  return {
    flow_id,
    version_id,
    imported,
    ...toSeries(flow, asked, computeFlowFigures),
    missing: [...missing]
      .map(([name, counts]) => ({ name, ...counts }))
      .toSorted((a, b) => b.evaluations - a.evaluations || (a.name < b.name ? -1 : 1)),
    recipes: [...recipes.values()].map((recipe) => toRecipeSums(recipe, asked)).toSorted(byStatus),
  }
}

/** Live recipes first. */
function byStatus(one: RecipeSums, other: RecipeSums): number {
  return one.status < other.status ? -1 : Number(one.status > other.status)
}

function toRecipeSums(recipe: RecipeTallies, asked: CountsQuery): RecipeSums {
  const { recipe_id, version_id, status, thresholds, range } = recipe
  return {
    recipe_id,
    version_id,
    status,
    thresholds: [...thresholds].toSorted((a, b) => a - b),
    ...toSeries(recipe, asked, computeRecipeFigures),
    histogram: buildHistogram(range),
  }
}

function toSeries<Figures extends object>(
  { range, wholeHours, weekBefore, buckets }: Tallies,
  { starts, finishedMs }: CountsQuery,
  compute: (tally: Tally) => Figures,
): Series<Figures> {
  const empty = compute(createTally())
  return {
    figures: compute(range),
    whole_hours: compute(wholeHours),
    week_before: compute(weekBefore),
    buckets: starts.slice(0, -1).map((start, at) => {
      const tally = buckets.get(at)
      return {
        from: isoTime(start),
        ...(tally ? compute(tally) : empty),
        ...((starts[at + 1] ?? 0) > finishedMs && { unfinished: true as const }),
      }
    }),
  }
}
