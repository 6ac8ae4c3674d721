/** Declares the routes that count evaluations: top values of a name, and what was missing. */

import { missingReportSchema, reportMissing } from '../../queries/analysis/missingReport.ts'
import { findTopValues, topValuesSchema } from '../../queries/analysis/topValues.ts'
import { type ConcurrencyLimit, streamWithinLimit } from '../lists/listLimits.ts'
import { ownScopeAccess } from '../request/access.ts'
import { buildTimeRangeReader } from '../request/filterParameters.ts'
import {
  minPositionParameter,
  numberParameter,
  textParameter,
  withFallback,
} from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import {
  ndjsonType,
  progressFormat,
  progressTypes,
  scanParameters,
  streamFolded,
} from './scanAnswer.ts'

// `audit` is not enough: answers and conditions tell what persons have sent
const common = { method: 'GET', tag: 'Analysis', access: ownScopeAccess('analyse') } as const
const parameters = {
  ...scanParameters,
  format: progressFormat,
  minPosition: minPositionParameter,
}

const topQuery = buildTimeRangeReader({
  name: {
    ...textParameter(
      'name',
      'Whose values are counted, as in `where`: `email_domain`, `phone_country`, `network`, `signal.device_id`, `ext.KEY`, `label`, `missing` and others.',
      512,
    ),
    required: true,
  },
  limit: withFallback(
    numberParameter('limit', 'Values that are shown.', { min: 1, max: 1_000 }),
    20,
  ),
  ...parameters,
})
const missingQuery = buildTimeRangeReader(parameters)

/** `/v2/watch/evaluations/top` and `…/missing`. */
export function groupRoutes(longAnswers: ConcurrencyLimit): readonly Route[] {
  return [
    defineRoute({
      ...common,
      path: '/v2/watch/evaluations/top',
      operationId: 'listTopValues',
      summary: 'Count recorded evaluations by the values of a name',
      query: topQuery,
      answers: {
        200: {
          description:
            'The values with the most evaluations, then those without a value (`missing`), those whose value is gone with the person (`forgotten`), and the rest (`others`).',
          schema: topValuesSchema,
          otherTypes: progressTypes,
        },
      },
      serve: async ({ context, call, query: { format, ...query } }) =>
        streamWithinLimit(longAnswers, call.principal.accountId, async (signal) => ({
          ...answer(format, await findTopValues(context, call, { ...query, signal })),
          ...(query.name.startsWith('target.') && { persons: 'unnamed' as const }),
        })),
    }),
    defineRoute({
      ...common,
      path: '/v2/watch/evaluations/missing',
      operationId: 'reportMissing',
      summary: 'Count what was missing in recorded evaluations, and the keys of ext that arrived',
      query: missingQuery,
      answers: {
        200: {
          description: 'Names that rules waited for, and the keys that arrived.',
          schema: missingReportSchema,
          otherTypes: progressTypes,
        },
      },
      serve: async ({ context, call, query: { format, ...query } }) =>
        streamWithinLimit(longAnswers, call.principal.accountId, async (signal) =>
          answer(format, await reportMissing(context, call, { ...query, signal })),
        ),
    }),
  ]
}

type Streamed<Folded> = Parameters<typeof streamFolded<Folded>>[2] & {
  readonly steps: Parameters<typeof streamFolded<Folded>>[0]
}

function answer<Folded>(format: 'json' | 'ndjson', { steps, ...sum }: Streamed<Folded>) {
  const chunks = streamFolded(steps, format, sum)
  return format === 'json' ? { chunks } : { chunks, contentType: ndjsonType }
}
