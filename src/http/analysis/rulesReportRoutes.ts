/** Declares the routes of the report on rules, and of the comparison of recipes. */

import { labelMeanings } from '../../domain/evaluation/labelClasses.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { compareRecipes, comparisonSchema } from '../../queries/analysis/recipeComparison.ts'
import { reportRules, rulesReportSchema } from '../../queries/analysis/rulesReport.ts'
import { type ConcurrencyLimit, streamWithinLimit } from '../lists/listLimits.ts'
import { accountAccess } from '../request/access.ts'
import { buildTimeRangeReader } from '../request/filterParameters.ts'
import {
  choiceParameter,
  idParameter,
  minPositionParameter,
  withFallback,
} from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import {
  beginStream,
  ndjsonType,
  progressFormat,
  progressTypes,
  scanParameters,
  streamFolded,
} from './scanAnswer.ts'

const common = { method: 'GET', tag: 'Analysis', access: accountAccess('analyse') } as const

const parameters = {
  flowId: idParameter('flow_id', idPrefixes.flow, {
    description: 'Only of this flow.',
    message: 'Must be the id of a flow.',
  }),
  ...scanParameters,
  format: progressFormat,
  minPosition: minPositionParameter,
}

const reportQuery = buildTimeRangeReader({
  ...parameters,
  labelClass: withFallback(
    choiceParameter('label_class', labelMeanings, 'The class that the rules are meant to find.'),
    'fraud',
  ),
})

const comparisonQuery = buildTimeRangeReader({
  otherRecipeId: {
    ...idParameter('with', idPrefixes.recipe, {
      description: 'The id of the recipe to compare with.',
      message: 'Must be the id of another recipe.',
    }),
    required: true as const,
  },
  ...parameters,
})

/** `/v2/watch/rules/report` and `…/recipes/{id}/comparison`. */
export function rulesReportRoutes(longAnswers: ConcurrencyLimit): readonly Route[] {
  return [
    defineRoute({
      ...common,
      path: '/v2/watch/rules/report',
      operationId: 'reportRules',
      summary: 'Report what each rule did in recorded evaluations, and how it agrees with labels',
      query: reportQuery,
      answers: {
        200: { description: 'The report.', schema: rulesReportSchema, otherTypes: progressTypes },
      },
      serve: ({ context, call, query: { format, ...query } }) =>
        streamWithinLimit(longAnswers, call.principal.accountId, async (signal) =>
          answer(format, await reportRules(context, call, { ...query, signal })),
        ),
    }),
    defineRoute({
      ...common,
      path: '/v2/watch/management/recipes/{id}/comparison',
      operationId: 'compareRecipes',
      summary: 'Compare the verdicts of two recipes in the evaluations that ran both',
      ids: { id: idPrefixes.recipe },
      query: comparisonQuery,
      answers: {
        200: {
          description: 'The comparison.',
          schema: comparisonSchema,
          otherTypes: progressTypes,
        },
      },
      serve: ({ context, call, ids: { id: recipeId }, query: { format, ...query } }) =>
        streamWithinLimit(longAnswers, call.principal.accountId, async (signal) =>
          answer(format, await compareRecipes(context, call, { ...query, recipeId, signal })),
        ),
    }),
  ]
}

interface Folding<Folded> {
  readonly steps: Parameters<typeof streamFolded<Folded>>[0]
  readonly sum: Parameters<typeof streamFolded<Folded>>[2]
}

async function answer<Folded>(format: 'json' | 'ndjson', { steps, sum }: Folding<Folded>) {
  const chunks = await beginStream(streamFolded(steps, format, sum))
  return format === 'json' ? { chunks } : { chunks, contentType: ndjsonType }
}
