/** Which passwords an application takes, for the pages on which its users choose one. */

import type { PasswordPolicy } from '../../domain/appSettings.ts'
import { applicationAccess } from '../request/applicationAccess.ts'
import { noBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { viewSchema } from '../request/fields.ts'
import { noQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { passwordPolicyFields } from './appSchemas.ts'

const policySchema = viewSchema<PasswordPolicy>('PasswordCompliancy', passwordPolicyFields)

/** `GET /v1/session/password/compliancy` of the host of an application. */
export function passwordPolicyRoute(): Route {
  return defineRoute({
    host: 'session',
    method: 'GET',
    path: '/v1/session/password/compliancy',
    operationId: 'getPasswordCompliancy',
    summary: 'What a password must have: how many characters, and how many of each kind at least',
    tag: 'Sessions',
    kind: 'plain',
    access: applicationAccess,
    ids: {},
    query: noQuery,
    body: noBody,
    answers: { 200: { description: 'The rules of the application.', schema: policySchema } },
    failures: ['not_found'],
    serve: async ({ call }) => ({ status: 200, body: call.principal.settings.password }),
  })
}
