/** Declares the routes that test an unsaved rule or a flow; nothing is recorded. */

import { idPrefixes } from '../../domain/ids.ts'
import { closedObject, optional } from '../../domain/jsonSchema.ts'
import { draftSchema } from '../../queries/evaluation/draftFlow.ts'
import { testFlow, testRule } from '../../queries/evaluation/dryRun.ts'
import {
  flowTestResultSchema,
  ruleTestResultSchema,
} from '../../queries/evaluation/evaluationView.ts'
import { ruleFields } from '../../state/rulebook/rules.ts'
import { accountAccess } from '../request/access.ts'
import { longAnswer } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { targetSchema } from './evaluationBody.ts'
import { explainQuery, readSampleEvidence, sampleEvidenceSchema } from './sampleEvidence.ts'

const ruleTestSchema = closedObject('RuleTest', {
  expression: ruleFields.expression,
  evidence: closedObject('SampleEvidence', sampleEvidenceSchema, {
    description: 'The evaluation request; the target may be omitted.',
  }),
})

const flowTestSchema = closedObject('FlowTest', {
  ...sampleEvidenceSchema,
  target: targetSchema,
  draft: optional(draftSchema),
})

const common = {
  method: 'POST',
  tag: 'Authoring',
  kind: 'plain',
  access: accountAccess('author'),
  failures: ['access_not_enabled', 'invalid_rule'],
} as const

/** `POST …/rules/test` and `POST …/flows/{id}/test`. */
export const ruleTestRoutes: readonly Route[] = [
  defineRoute({
    ...common,
    path: '/v2/watch/management/rules/test',
    operationId: 'testRule',
    summary: 'Test an unsaved rule; nothing is recorded',
    body: schemaBody(ruleTestSchema),
    answers: { 200: { description: 'The result.', schema: ruleTestResultSchema } },
    serve: async ({ context, call, body: { expression, evidence } }) => ({
      value: await testRule(context, call, {
        expression,
        evidence: readSampleEvidence(evidence, 'evidence.'),
      }),
    }),
  }),
  defineRoute({
    ...common,
    path: '/v2/watch/management/flows/{id}/test',
    operationId: 'testFlow',
    summary: 'Test a flow, or a draft of it; nothing is recorded',
    ids: { id: idPrefixes.flow },
    query: explainQuery,
    body: schemaBody(flowTestSchema),
    answers: { 200: { description: 'The result.', schema: flowTestResultSchema } },
    serve: ({ context, call, ids, query: { detail }, body: { draft, ...evidence } }) =>
      longAnswer(
        testFlow(context, call, {
          flowId: ids.id,
          evidence: readSampleEvidence(evidence),
          ...(draft && { draft }),
          detail,
        }),
      ),
  }),
]
