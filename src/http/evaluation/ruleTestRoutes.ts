/** Declares the routes for testing an unsaved rule, a flow or a draft of it; nothing is recorded. */

import { idPrefixes } from '../../domain/ids.ts'
import { testFlow, testRule } from '../../queries/evaluation/tryOut.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import { accountAccess, type Route, type Served } from '../request/route.ts'
import { explainQuery, readEvidence } from './sampleEvidence.ts'
import {
  flowTestResultSchema,
  flowTestSchema,
  type GivenFlowTest,
  type GivenRuleTest,
  ruleTestResultSchema,
  ruleTestSchema,
} from './tryOutSchemas.ts'

/** `POST …/rules/test` and `POST …/flows/{id}/test`. */
export function ruleTestRoutes(served: Served): readonly Route[] {
  return [testRuleRoute(served), testFlowRoute(served)]
}

function common({ authenticate }: Served) {
  return {
    method: 'POST',
    tag: 'Authoring',
    kind: 'plain',
    access: accountAccess(authenticate, 'author'),
    failures: ['access_not_enabled', 'invalid_rule'],
  } as const
}

function testRuleRoute(served: Served): Route {
  return defineRoute({
    ...common(served),
    path: '/v2/watch/management/rules/test',
    operationId: 'testRule',
    summary: 'Test an unsaved rule; nothing is recorded',
    ids: {},
    query: noQuery,
    body: schemaBody<GivenRuleTest>(ruleTestSchema),
    answers: { 200: { description: 'The result.', schema: ruleTestResultSchema } },
    serve: async ({ call, body: { expression, evidence } }) => ({
      status: 200,
      body: await testRule(served.context, call, {
        expression,
        evidence: readEvidence(evidence, 'evidence.'),
      }),
    }),
  })
}

function testFlowRoute(served: Served): Route {
  return defineRoute({
    ...common(served),
    path: '/v2/watch/management/flows/{id}/test',
    operationId: 'testFlow',
    summary: 'Test a flow, or a draft of it; nothing is recorded',
    ids: { id: idPrefixes.flow },
    query: explainQuery,
    body: schemaBody<GivenFlowTest>(flowTestSchema),
    answers: { 200: { description: 'The result.', schema: flowTestResultSchema } },
    serve: async ({ call, ids, query, body: { draft, ...evidence } }) => ({
      status: 200,
      body: await testFlow(served.context, call, {
        flowId: ids.id,
        evidence: readEvidence(evidence),
        ...(draft && { draft }),
        detail: query,
      }),
    }),
  })
}
