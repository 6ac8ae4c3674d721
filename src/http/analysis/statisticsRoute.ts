/** Declares the route for the statistics of flows and recipes, as JSON or CSV. */

import { idPrefixes } from '../../domain/ids.ts'
import { formatCsvLine } from '../../domain/text/csv.ts'
import { parseTimeZone } from '../../domain/text/timeZone.ts'
import {
  countStatistics,
  prepareStatistics,
  type StatisticsView,
  scanStatistics,
  statisticsSchema,
} from '../../queries/analysis/statistics/statistics.ts'
import { type ConcurrencyLimit, streamWithinLimit } from '../lists/listLimits.ts'
import { accountAccess } from '../request/access.ts'
import { longAnswer } from '../request/answer.ts'
import { buildTimeRangeParameters, buildTimeRangeReader } from '../request/filterParameters.ts'
import {
  choiceParameter,
  idParameter,
  minPositionParameter,
  restorePlus,
  textParameter,
  withFallback,
} from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { beginStream, streamFolded } from './scanAnswer.ts'

const csvType = 'text/csv'

/** The hours or days that have something of the range; see `StatisticsQuery`. */
const statisticsQuery = buildTimeRangeReader({
  flowId: idParameter('flow_id', idPrefixes.flow, {
    description: 'Only of this flow.',
    message: 'Must be the id of a flow.',
  }),
  ...buildTimeRangeParameters(
    'ISO 8601 with a zone; the hour or day that it falls into is included. A week before `to` by default.',
    'ISO 8601 with a zone; the hour or day that it falls into is included, unless it begins then. Now by default.',
  ),
  by: withFallback(choiceParameter('by', ['hour', 'day'], 'Of the zone; at most 1,000.'), 'day'),
  zone: {
    ...textParameter(
      'zone',
      'The time zone of the hours and days, such as `Europe/Paris` or `+01:00`; UTC by default.',
      64,
    ),
    parse: (text: string) => parseTimeZone(restorePlus(text)),
    message: 'Must be a time zone, such as Europe/Paris or +01:00; a + is written %2B.',
  },
  format: withFallback(
    choiceParameter('format', ['json', 'csv'], 'The form of the answer.'),
    'json',
  ),
  minPosition: minPositionParameter,
})

type FlowView = StatisticsView['flows'][number]
type RecipeView = FlowView['recipes'][number]

interface CsvRow {
  readonly flow: FlowView
  readonly recipe?: RecipeView
  readonly bucket: FlowView['buckets'][number] & Partial<RecipeView['buckets'][number]>
}

/** The fields of a row by their columns. */
const csvColumns: Readonly<Record<string, (row: CsvRow) => unknown>> = {
  flow_id: ({ flow }) => flow.flow_id,
  flow_name: ({ flow }) => flow.name,
  imported: ({ flow }) => flow.imported,
  recipe_id: ({ recipe }) => recipe?.recipe_id,
  recipe_name: ({ recipe }) => recipe?.name,
  status: ({ recipe }) => recipe?.status,
  from: ({ bucket }) => bucket.from,
  local: ({ bucket }) => bucket.local,
  unfinished: ({ bucket }) => bucket.unfinished ?? false,
  evaluations: ({ bucket }) => bucket.evaluations,
  flagged: ({ bucket }) => bucket.flagged,
  share: ({ bucket }) => bucket.share,
  fragile: ({ bucket }) => bucket.fragile,
  partial: ({ bucket }) => bucket.partial,
  overridden: ({ bucket }) => bucket.overridden,
  median_score: ({ bucket }) => bucket.median_score,
}

const csvHead = `${formatCsvLine(Object.keys(csvColumns))}\r\n`

/** `GET /v2/watch/statistics`. */
export function statisticsRoute(longAnswers: ConcurrencyLimit): Route {
  return defineRoute({
    method: 'GET',
    path: '/v2/watch/statistics',
    operationId: 'getStatistics',
    summary: 'Count the verdicts of flows and recipes by hour or day, beside a week before',
    tag: 'Analysis',
    access: accountAccess('analyse'),
    query: statisticsQuery,
    answers: {
      200: {
        description: 'The statistics; as CSV a line for each hour or day of a flow or recipe.',
        schema: statisticsSchema,
        otherTypes: { [csvType]: csvHead },
      },
    },
    serve: async ({ context, call, query: { format, ...asked } }) => {
      const contentType = `${csvType}; charset=utf-8`
      const prepared = await prepareStatistics(context, call, asked)
      if (prepared.unit === 'evaluation') {
        return streamWithinLimit(longAnswers, call.principal.accountId, async (signal) => {
          const scanned = await scanStatistics(context, call, { prepared, signal })
          return format === 'json'
            ? { chunks: await beginStream(streamFolded(scanned.steps, format, scanned)) }
            : { chunks: await beginStream(streamCsv(scanned)), contentType }
        })
      }
      const found = countStatistics(context, call, prepared)
      return format === 'json'
        ? longAnswer(found)
        : { value: `${csvHead}${formatRows(await found)}`, contentType }
    },
  })
}

/** The first line once something has been scanned, which may take long, and the others once all is. */
async function* streamCsv({
  steps,
  add,
  result,
}: Awaited<ReturnType<typeof scanStatistics>>): AsyncGenerator<string, void, undefined> {
  let begun = false
  for await (const { folded } of steps) {
    if (!begun) yield csvHead
    begun = true
    add(folded)
  }
  yield formatRows(await result())
}

/** Rows of flows have no recipe, and are followed by those of their recipes. */
function formatRows({ flows }: StatisticsView): string {
  const rows = flows.flatMap((flow): readonly CsvRow[] => [
    ...flow.buckets.map((bucket) => ({ flow, bucket })),
    ...flow.recipes.flatMap((recipe) => recipe.buckets.map((bucket) => ({ flow, recipe, bucket }))),
  ])
  const lines = rows.map((row) => Object.values(csvColumns).map((read) => String(read(row) ?? '')))
  return lines.map((line) => `${formatCsvLine(line)}\r\n`).join('')
}
