/** Sums the counts of an account's flows and recipes over a range, by bucket, and a week before. */

import { invalidRequest } from '../../domain/failure.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import {
  type CountedUnit,
  dayMs,
  hourMs,
  type PlanCountsDocument,
  planCountsCollection,
  planDayCountsCollection,
} from '../../projections/analysis/counts.ts'
import { type PlanDocument, planCollection } from '../../projections/evaluation/plans.ts'
import { findDocuments, getDocument, type Readers } from '../../projections/running/documents.ts'
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
import { readCounts } from './readCounts.ts'

export const weekMs = 7 * dayMs

/** Times in milliseconds since the Unix epoch, all at the start of an hour. */
export interface CountsQuery {
  readonly account: string
  /** All flows unless given. */
  readonly flowId?: string
  /** Starts of buckets: the first of the range, and the one behind it. */
  readonly fromMs: number
  readonly toMs: number
  readonly by: CountedUnit
  /** End of the hours that are over, at most `toMs`. */
  readonly finishedMs: number
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

export const unitsMs = { hour: hourMs, day: dayMs } as const

/** Buckets of all flows and recipes of an answer. */
const bucketsMax = 20_000

/**
 * Heavy query: the sums of each flow with counts in the range or a week before, or of the one asked for; imported
 * evaluations apart, behind the others. Throws `invalid_request` when that is more than an answer may have.
 */
export async function sumCounts(
  readers: Readers,
  asked: CountsQuery,
): Promise<readonly FlowSums[]> {
  const plans = new Map<string, PlanDocument | undefined>()
  const flows: FlowSums[] = []
  let series = 0
  for await (const flowId of listCountedFlows(readers, asked)) {
    const found = await sumFlow(readers, { ...asked, flowId }, plans)
    for (const sums of found.filter((one) => isShown(one, asked))) {
      series += 1 + sums.recipes.size
      assertAnswerable(series, asked)
      flows.push(toFlowSums(sums, asked))
    }
  }
  return flows
}

/** The flow that was asked for is shown also where it has nothing but zeros. */
function isShown({ imported, range, weekBefore }: FlowTallies, { flowId }: CountsQuery): boolean {
  const isAsked = flowId !== undefined && !imported
  return isAsked || range.evaluations + weekBefore.evaluations > 0
}

function assertAnswerable(series: number, { fromMs, toMs, by }: CountsQuery): void {
  const buckets = (toMs - fromMs) / unitsMs[by]
  if (series * buckets <= bucketsMax) return
  const message = `These are more than ${bucketsMax} figures of flows and recipes by time: ask for one flow, a shorter range, or days.`
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
    const [found] = await findDocuments(readers, planCountsCollection, { where, limit: 1 })
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

type FlowQuery = CountsQuery & { readonly flowId: string }

/** What was answered, then what was imported. */
async function sumFlow(
  readers: Readers,
  asked: FlowQuery,
  plans: Map<string, PlanDocument | undefined>,
): Promise<readonly FlowTallies[]> {
  const [answered, imported] = [false, true].map(
    (isImported): FlowTallies => ({
      ...createTallies(),
      flow_id: asked.flowId,
      version_id: undefined,
      imported: isImported,
      missing: new Map(),
      recipes: new Map(),
    }),
  ) as [FlowTallies, FlowTallies]
  for await (const body of readSpans(readers, asked)) {
    if (!plans.has(body.plan)) {
      plans.set(body.plan, (await getDocument(readers, planCollection, body.plan))?.body)
    }
    addDocument(body.imported ? imported : answered, body, { asked, plan: plans.get(body.plan) })
  }
  return [answered, imported]
}

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

interface Span extends Pick<CountsQuery, 'fromMs' | 'toMs'> {
  readonly unit: CountedUnit
}

/**
 * The range and the week before it, in the order of time: days are read as such, but for those in which a comparison
 * ends, which are read by the hour.
 */
function listSpans({ fromMs, toMs, by, finishedMs }: CountsQuery): readonly Span[] {
  const startMs = fromMs - weekMs
  if (by === 'hour') return [{ unit: by, fromMs: startMs, toMs }]
  const cutMs = finishedMs - (finishedMs % dayMs)
  const cuts = cutMs === finishedMs ? [] : [cutMs - weekMs, cutMs]
  const spans: Span[] = []
  let atMs = startMs
  for (const dayStartMs of cuts) {
    spans.push({ unit: 'day', fromMs: atMs, toMs: dayStartMs })
    atMs = dayStartMs + dayMs
    spans.push({ unit: 'hour', fromMs: dayStartMs, toMs: atMs })
  }
  return [...spans, { unit: 'day' as const, fromMs: atMs, toMs }].filter(
    (one) => one.fromMs < one.toMs,
  )
}

interface AddedTo {
  readonly asked: FlowQuery
  readonly plan: PlanDocument | undefined
}

function addDocument(flow: FlowTallies, body: PlanCountsDocument, { asked, plan }: AddedTo): void {
  const { evaluations, from: timeMs, missing, recipes } = body
  const { fromMs, toMs, finishedMs } = asked
  const isInRange = isIn(timeMs, fromMs, toMs)
  // between the end of the week before and the range
  if (!isInRange && !isIn(timeMs, fromMs - weekMs, finishedMs - weekMs)) return
  flow.version_id = plan?.flow_version_id
  addToSeries(flow, body, { asked, timeMs })
  if (isInRange) {
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
  { asked, timeMs }: { readonly asked: FlowQuery; readonly timeMs: number },
): void {
  const { fromMs, toMs, finishedMs, by } = asked
  if (isIn(timeMs, fromMs - weekMs, finishedMs - weekMs)) addCounts(weekBefore, counted)
  if (isIn(timeMs, fromMs, finishedMs)) addCounts(wholeHours, counted)
  if (!isIn(timeMs, fromMs, toMs)) return
  addCounts(range, counted)
  const at = Math.floor((timeMs - fromMs) / unitsMs[by])
  const bucket = buckets.get(at) ?? createTally()
  buckets.set(at, bucket)
  addCounts(bucket, counted)
}

function isIn(timeMs: number, fromMs: number, toMs: number): boolean {
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
  { fromMs, toMs, by, finishedMs }: CountsQuery,
  compute: (tally: Tally) => Figures,
): Series<Figures> {
  const bucketMs = unitsMs[by]
  const empty = compute(createTally())
  return {
    figures: compute(range),
    whole_hours: compute(wholeHours),
    week_before: compute(weekBefore),
    buckets: Array.from({ length: (toMs - fromMs) / bucketMs }, (_, at) => {
      const start = fromMs + at * bucketMs
      const tally = buckets.get(at)
      return {
        from: isoTime(start),
        ...(tally ? compute(tally) : empty),
        ...(start + bucketMs > finishedMs && { unfinished: true as const }),
      }
    }),
  }
}
