/** Finds the verdicts and scores of flows and recipes by hour or day, beside a week before. */

import type { Call } from '../../domain/call.ts'
import { invalidRequest } from '../../domain/failure.ts'
import {
  booleanSchema,
  countSchema,
  openObject,
  optional,
  type TypeOf,
  text,
  timeSchema,
} from '../../domain/jsonSchema.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { rulebookStream } from '../../events/rulebook/rulebook.ts'
import { type CountedUnit, hourMs } from '../../projections/analysis/counts.ts'
import { nameSchema } from '../evaluation/evaluationView.ts'
import { loadNames, type NamedVersion, type NamesContext } from '../evaluation/resultNames.ts'
import type { HeavyContext, QueryContext } from '../reading/queryContext.ts'
import { flowFigureFields, histogramSchema, recipeFigureFields } from './figures.ts'
import { type CountsQuery, type FlowSums, type sumCounts, unitsMs, weekMs } from './sumCounts.ts'

const bucketFields = {
  from: { ...timeSchema, description: 'When the hour or day began, ISO 8601 UTC.' },
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
}

/** Hours or days of one question. */
const bucketsMax = 1_000

/** Throws `invalid_request` for an unknown flow, and a range that is empty or too long; `unavailable`. */
export async function findStatistics(
  context: NamesContext &
    Pick<QueryContext, 'clock'> &
    HeavyContext<{ sumCounts: typeof sumCounts }>,
  { principal }: Call,
  asked: StatisticsQuery,
): Promise<StatisticsView> {
  const account = principal.accountId
  await assertFlow(context, account, asked.flowId)
  const range = findRange(asked, context.clock.nowMs())
  const { flowId } = asked
  const query = { account, ...(flowId !== undefined && { flowId }), ...range }
  const flows = await context.heavyQueries.sumCounts(principal, query)
  const findName = await loadNames(context, account, flows.flatMap(listVersions))
  const nameOf = (id: string, versionId: string | undefined) => {
    const name = findName(id, versionId)
    return name !== undefined && { name }
  }
  return {
    from: isoTime(range.fromMs),
    to: isoTime(range.toMs),
    by: asked.by,
    finished: isoTime(range.finishedMs),
    flows: flows.map(({ flow_id, version_id: flowVersion, recipes, ...flow }) => ({
      ...{ flow_id, ...nameOf(flow_id, flowVersion), ...flow },
      recipes: recipes.map(({ recipe_id, version_id, ...recipe }) => ({
        ...{ recipe_id, ...nameOf(recipe_id, version_id), ...recipe },
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

/** The whole hours or days that have something of the range asked for, and have begun. */
function findRange(
  asked: StatisticsQuery,
  nowMs: number,
): Pick<CountsQuery, 'fromMs' | 'toMs' | 'by' | 'finishedMs'> {
  const bucketMs = unitsMs[asked.by]
  // one more, so that the bucket of now is in it
  const endMs = Math.min(asked.toMs ?? nowMs + 1, nowMs + 1)
  const toMs = Math.ceil(endMs / bucketMs) * bucketMs
  const startMs = asked.fromMs ?? toMs - weekMs
  const fromMs = Math.max(0, startMs - (startMs % bucketMs))
  if (fromMs >= toMs)
    throw invalidRequest([{ path: 'from', message: 'Must be before to, and not in the future.' }])
  if ((toMs - fromMs) / bucketMs > bucketsMax) {
    const other = asked.by === 'hour' ? ', or by day' : ''
    const message = `Must be at most ${bucketsMax} ${asked.by}s before to; ask for a shorter range${other}.`
    throw invalidRequest([{ path: 'from', message }])
  }
  const finishedMs = Math.max(fromMs, Math.min(toMs, nowMs - (nowMs % hourMs)))
  return { fromMs, toMs, by: asked.by, finishedMs }
}
