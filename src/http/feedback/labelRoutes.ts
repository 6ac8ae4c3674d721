/** Declares the routes to see and set what an account takes for fraud and for legitimate. */

import {
  labelClassesInputSchema,
  labelClassesSchema,
  setLabelClasses,
} from '../../commands/feedback/setLabelClasses.ts'
import { findLabelClasses } from '../../queries/feedback/findLabelClasses.ts'
import { accountAccess } from '../request/access.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute, type Route } from '../request/route.ts'

const path = '/v2/watch/management/labels'

/** `/v2/watch/management/labels`. */
export const labelRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path,
    operationId: 'getLabelClasses',
    summary: 'Show which reported events mean fraud, and which a legitimate user',
    tag: 'Analysis',
    access: accountAccess('analyse'),
    kind: 'plain',
    answers: {
      200: {
        description: 'The classes of the account, or the default.',
        schema: labelClassesSchema,
      },
    },
    failures: [],
    serve: async ({ context, call }) => ({
      value: { classes: await findLabelClasses(context, call.principal.accountId) },
    }),
  }),
  defineRoute({
    method: 'PUT',
    path,
    operationId: 'setLabelClasses',
    summary: 'Set which reported events mean fraud, and which a legitimate user',
    tag: 'Analysis',
    access: accountAccess('author'),
    body: schemaBody(labelClassesInputSchema),
    answers: { 200: { description: 'The classes of the account.', schema: labelClassesSchema } },
    failures: ['access_not_enabled', 'conflict'],
    serve: ({ context, call, body }) => setLabelClasses(context, call, body),
  }),
]
