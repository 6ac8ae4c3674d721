/** Declares the routes for backtests, which are jobs: start, list, show, cancel, go on. */

import { cancelBacktest, resumeBacktest, startBacktest } from '../../commands/analysis/backtests.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { openObject } from '../../domain/jsonSchema.ts'
import { prepareBacktestJob } from '../../queries/analysis/backtest/backtestJob.ts'
import { findBacktest, listBacktests } from '../../queries/analysis/backtest/backtests.ts'
import { backtestSchema } from '../../queries/analysis/backtest/prepareBacktest.ts'
import {
  backtestViewSchema,
  listedBacktestSchema,
} from '../../state/analysis/backtestStreamType.ts'
import { bothScopesAccess } from '../request/access.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { buildTimeRangeReader } from '../request/filterParameters.ts'
import { buildQueryReader } from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { listsParameter, scanParameters } from './scanAnswer.ts'

const backtestQuery = buildTimeRangeReader({ ...scanParameters, lists: listsParameter })
const resumeQuery = buildQueryReader({ where: scanParameters.where, lists: listsParameter })

const listSchema = openObject('BacktestList', {
  backtests: { type: 'array', items: listedBacktestSchema },
})

const path = '/v2/watch/management/backtests'
const ids = { backtest_id: idPrefixes.backtest }
const answers = { 200: { description: 'The backtest.', schema: backtestViewSchema } }
const begun = { 202: { description: 'It runs.', schema: backtestViewSchema } }

const common = {
  path,
  tag: 'Authoring',
  access: bothScopesAccess(['author', 'analyse']),
  failures: ['access_not_enabled'],
} as const
const begin = {
  ...common,
  method: 'POST',
  body: schemaBody(backtestSchema),
  failures: ['access_not_enabled', 'invalid_rule', 'not_found', 'conflict'],
} as const

/** `/v2/watch/management/backtests`. */
export const backtestRoutes: readonly Route[] = [
  defineRoute({
    ...begin,
    operationId: 'startBacktest',
    summary: 'Run a rule, a draft of a flow, or other weights over recorded evaluations: a job',
    query: backtestQuery,
    answers: begun,
    serve: async ({ context, call, query, body: input }) =>
      startBacktest(context, call, await prepareBacktestJob(context, call, { ...query, input })),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    operationId: 'listBacktests',
    summary: 'List the last twenty backtests without their reports, the newest first',
    kind: 'plain',
    answers: { 200: { description: 'The backtests.', schema: listSchema } },
    serve: async ({ context, call }) => ({
      value: { backtests: await listBacktests(context, call) },
    }),
  }),
  defineRoute({
    ...common,
    ids,
    answers,
    path: `${path}/{backtest_id}`,
    method: 'GET',
    operationId: 'getBacktest',
    summary: 'Retrieve how far a backtest is, and its report so far',
    kind: 'plain',
    serve: async ({ context, call, ids: { backtest_id } }) => ({
      value: await findBacktest(context, call, backtest_id),
    }),
  }),
  defineRoute({
    ...common,
    ids,
    answers,
    path: `${path}/{backtest_id}/cancel`,
    method: 'POST',
    operationId: 'cancelBacktest',
    summary: 'End a running backtest; one that has ended stays as it is',
    serve: ({ context, call, ids: { backtest_id } }) => cancelBacktest(context, call, backtest_id),
  }),
  defineRoute({
    ...begin,
    ids,
    path: `${path}/{backtest_id}/resume`,
    operationId: 'resumeBacktest',
    summary: 'Go on with a backtest that did not reach its end, given what it was started with',
    query: resumeQuery,
    answers: begun,
    serve: async ({ context, call, ids: { backtest_id: id }, query, body: input }) => {
      const prepared = await prepareBacktestJob(context, call, { ...query, input })
      return resumeBacktest(context, call, { id, prepared })
    },
  }),
]
