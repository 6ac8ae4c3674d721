/** Finds the verdicts and scores of flows and recipes by hour or day, beside a week before. */

import type { Call } from '../../../domain/call.ts'
import { invalidRequest } from '../../../domain/failure.ts'
import {
  booleanSchema,
  countSchema,
  openObject,
  optional,
  type TypeOf,
  text,
  timeSchema,
} from '../../../domain/jsonSchema.ts'
import { isoTime } from '../../../domain/text/isoTime.ts'
import { formatInZone, type TimeZone, utc } from '../../../domain/text/timeZone.ts'
import { rulebookStream } from '../../../events/rulebook/rulebook.ts'
import type { CountedUnit } from '../../../projections/analysis/counts.ts'
import { nameSchema } from '../../evaluation/evaluationView.ts'
import { loadNames, type NamedVersion, type NamesContext } from '../../evaluation/resultNames.ts'
import type { HeavyContext, QueryContext } from '../../reading/queryContext.ts'
import type { FoldedCounts } from '../scan/foldCounts.ts'
import { prepareScan, runScan, type ScanContext } from '../scan/scan.ts'
import { flowFigureFields, histogramSchema, recipeFigureFields } from './figures.ts'
import { findTimes } from './statisticsTimes.ts'
import {
  type CountsQuery,
  createCountSums,
  type FlowSums,
  rangeOf,
  type sumCounts,
} from './sumCounts.ts'

const bucketFields = {
  from: { ...timeSchema, description: 'When the hour or day began, ISO 8601 UTC.' },
  local: optional({
    type: 'string',
    description: 'The same in the zone, as in 2026-10-25T02:00+01:00; absent in UTC.',
  }),
  unfinished: optional({ const: true, description: 'An hour of it is not over yet.' }),
} as const

const flowFigures = openObject('FlowFigures', flowFigureFields)
const recipeFigures = openObject('RecipeFigures', recipeFigureFields)
const recipeStatistics = openObject('RecipeStatistics', {
  recipe_id: text,
  name: optional(nameSchema),
  status: {
    type: 'string',
    enum: ['LIVE', 'SHADOW'],
    description: 'A recipe that was both in the range stands here twice.',
  },
  thresholds: {
    type: 'array',
    items: { type: 'integer' },
    description: 'Those that it had in the range and a week before, ascending.',
  },
  figures: recipeFigures,
  whole_hours: recipeFigures,
  week_before: recipeFigures,
  buckets: {
    type: 'array',
    items: openObject('RecipeBucket', { ...bucketFields, ...recipeFigureFields }),
  },
  histogram: histogramSchema,
})

const flowStatistics = openObject('FlowStatistics', {
  flow_id: text,
  name: optional(nameSchema),
  imported: {
    ...booleanSchema,
    description: 'Whether it is about evaluations that were imported, which nothing else counts.',
  },
  figures: flowFigures,
  whole_hours: flowFigures,
  week_before: flowFigures,
  buckets: {
    type: 'array',
    items: openObject('FlowBucket', { ...bucketFields, ...flowFigureFields }),
  },
  missing: {
    type: 'array',
    items: openObject('MissingStatistics', {
      name: text,
      evaluations: { ...countSchema, description: 'In which a rule lacked it.' },
      fragile: { ...countSchema, description: 'Of these, the answers that are fragile.' },
    }),
    description:
      'Names for want of which rules were not evaluated, of live and shadow recipes; `missing_data` stands for all of managed rules.',
  },
  recipes: { type: 'array', items: recipeStatistics },
})

export const statisticsSchema = openObject('Statistics', {
  from: { ...timeSchema, description: 'Start of the first hour or day, included.' },
  to: { ...timeSchema, description: 'End of the last hour or day, excluded.' },
  by: { type: 'string', enum: ['hour', 'day'] },
  zone: { type: 'string', description: 'The time zone of the hours and days.' },
  source: {
    type: 'string',
    enum: ['counts', 'scan'],
    description:
      '`scan` where hours of UTC do not tell it, or are not kept any more: every evaluation was looked at.',
  },
  finished: {
    ...timeSchema,
    description:
      'End of the hours that are over: `whole_hours` is the range up to then, to be compared with `week_before`.',
  },
  flows: { type: 'array', items: flowStatistics },
})
export type StatisticsView = TypeOf<typeof statisticsSchema>

export interface StatisticsQuery {
  readonly flowId?: string
  /** Milliseconds since the Unix epoch, included; a week before the end when undefined. */
  readonly fromMs?: number
  /** The same, excluded; now when undefined. */
  readonly toMs?: number
  readonly by: CountedUnit
  /** UTC when undefined. */
  readonly zone?: TimeZone
}

type Context = NamesContext &
  Pick<QueryContext, 'clock'> &
  HeavyContext<{ sumCounts: typeof sumCounts }> &
  ScanContext

/** What is asked, with the hours or days that it is about. */
export interface PreparedStatistics extends CountsQuery {
  readonly by: CountedUnit
  readonly zone: TimeZone
}

/**
 * Finds out what answers the question: of `unit` evaluation `scanStatistics`, else `countStatistics`. Throws
 * `invalid_request` for an unknown flow, and a range that is empty or too long.
 */
export async function prepareStatistics(
  context: Context,
  { principal: { accountId: account } }: Call,
  { flowId, by, zone = utc, ...range }: StatisticsQuery,
): Promise<PreparedStatistics> {
  await assertFlow(context, account, flowId)
  const times = findTimes({ ...range, by, zone }, context.clock.nowMs())
  return { account, ...(flowId !== undefined && { flowId }), ...times, by, zone }
}

/** By what has been counted. Throws `invalid_request` for too many figures, `unavailable`. */
export async function countStatistics(
  context: Context,
  { principal }: Call,
  { by, zone, ...query }: PreparedStatistics,
): Promise<StatisticsView> {
  const flows = await context.heavyQueries.sumCounts(principal, query)
  return showStatistics(context, { by, zone, ...query }, flows)
}

/** By the recorded evaluations: the steps of the scan, and the answer behind them. Throws as `runScan`. */
export async function scanStatistics(
  context: Context,
  call: Call,
  { prepared, signal }: { readonly prepared: PreparedStatistics; readonly signal: AbortSignal },
) {
  const { account, flowId, starts, finishedMs, weekBefore } = prepared
  const plan = await prepareScan(context, call, {
    range: {
      fromMs: weekBefore.fromMs,
      toMs: rangeOf(prepared).toMs,
      order: 'oldest',
      ...(flowId !== undefined && { where: `flow = ${flowId}` }),
    },
    fold: { kind: 'counts', account, starts, finishedMs, weekBefore },
  })
  const sums = createCountSums(prepared)
  return {
    steps: runScan(context, plan, { kind: 'counts', signal }),
    add: ({ counts, plans }: FoldedCounts) => {
      for (const one of counts) sums.add(one, plans.get(one.plan))
    },
    result: () => showStatistics(context, prepared, sums.list()),
  }
}

async function showStatistics(
  context: Context,
  { account, by, zone, starts, unit, finishedMs }: PreparedStatistics,
  flows: readonly FlowSums[],
): Promise<StatisticsView> {
  const { fromMs, toMs } = rangeOf({ starts })
  const findName = await loadNames(context, account, flows.flatMap(listVersions))
  const nameOf = (id: string, versionId: string | undefined) => {
    const name = findName(id, versionId)
    return name !== undefined && { name }
  }
  const labels = zone === utc ? [] : starts.map((start) => formatInZone(zone, start))
  const labelled = <Bucket>(buckets: readonly Bucket[]) =>
    buckets.map((one, at) => ({ ...one, ...(zone !== utc && { local: labels[at] ?? '' }) }))
  return {
    from: isoTime(fromMs),
    to: isoTime(toMs),
    by,
    zone: zone.name,
    source: unit === 'evaluation' ? 'scan' : 'counts',
    finished: isoTime(finishedMs),
    flows: flows.map(({ flow_id, version_id: flowVersion, recipes, ...flow }) => ({
      ...{ flow_id, ...nameOf(flow_id, flowVersion), ...flow },
      buckets: labelled(flow.buckets),
      recipes: recipes.map(({ recipe_id, version_id, ...recipe }) => ({
        ...{ recipe_id, ...nameOf(recipe_id, version_id), ...recipe },
        buckets: labelled(recipe.buckets),
      })),
    })),
  }
}

function listVersions({ flow_id, version_id, recipes }: FlowSums): readonly NamedVersion[] {
  return [
    { id: flow_id, versionId: version_id },
    ...recipes.map((recipe) => ({ id: recipe.recipe_id, versionId: recipe.version_id })),
  ]
}

async function assertFlow(
  { rulebooks }: NamesContext,
  account: string,
  flowId: string | undefined,
): Promise<void> {
  const { state } = await rulebooks.catchUp(rulebookStream(account))
  if (flowId === undefined || state.flows.has(flowId)) return
  throw invalidRequest([{ path: 'flow_id', message: 'There is no flow with this id.' }])
}
