/** Declares the routes for the message templates of an account (spec 4.3). */

import {
  createTemplate,
  deleteTemplate,
  updateTemplate,
} from '../../commands/verification/templates.ts'
import { idPrefixes } from '../../domain/ids.ts'
import {
  deletedTemplateSchema,
  templateInputSchema,
  templatePatchSchema,
  templateSchema,
  templatesSchema,
} from '../../domain/verification/templates.ts'
import { findTemplate, listTemplates } from '../../queries/verification/templates.ts'
import { seen, seenPage, tagged, written } from '../request/answer.ts'
import { mergePatchBody, schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { askingQuery } from '../request/queryReader.ts'
import { accountAccess, type Route, type Served } from '../request/route.ts'
import { wholeOrPage } from '../request/wholeOrPage.ts'

/** `/v2/verification/management/templates`, for accounts on which the operator has enabled it. */
export function templateRoutes(served: Served): readonly Route[] {
  return [
    listRoute(served),
    createRoute(served),
    getRoute(served),
    updateRoute(served),
    deleteRoute(served),
  ]
}

const path = '/v2/verification/management/templates'

const common = ({ authenticate }: Served) =>
  ({
    path,
    tag: 'Verification management',
    access: accountAccess(authenticate, 'manage'),
  }) as const

const item = (served: Served) =>
  ({
    ...common(served),
    path: `${path}/{template_id}`,
    ids: { template_id: idPrefixes.template },
  }) as const

const suffixFailures = [
  'custom_suffix_not_enabled',
  'invalid_suffix',
  'suffix_not_allowed',
  'suffix_script_not_supported',
] as const

function listRoute(served: Served): Route {
  return defineRoute({
    ...common(served),
    method: 'GET',
    kind: 'read',
    operationId: 'listTemplates',
    summary: 'List the templates of the account in the order of creation: all, or a page',
    failures: ['access_not_enabled'],
    query: wholeOrPage,
    answers: { 200: { description: 'The templates.', schema: templatesSchema } },
    serve: async ({ call, query }) =>
      seenPage('templates', await listTemplates(served.context, call, query)),
  })
}

function createRoute(served: Served): Route {
  return defineRoute({
    ...common(served),
    method: 'POST',
    kind: 'write',
    operationId: 'createTemplate',
    summary: 'Create a template; omitted fields have their default',
    failures: ['access_not_enabled', 'invalid_code_size', ...suffixFailures, 'conflict'],
    entity: 'tagged',
    body: schemaBody(templateInputSchema),
    answers: { 201: { description: 'The new template.', schema: templateSchema } },
    serve: async ({ call, body }) =>
      tagged(written(201, await createTemplate(served.context, call, body))),
  })
}

function getRoute(served: Served): Route {
  return defineRoute({
    ...item(served),
    method: 'GET',
    kind: 'read',
    operationId: 'getTemplate',
    summary: 'Retrieve a template',
    failures: ['access_not_enabled'],
    entity: 'tagged',
    query: askingQuery,
    answers: {
      200: { description: 'The template.', schema: templateSchema },
      304: { description: 'Not modified.' },
    },
    serve: async ({ call, ids, query }) =>
      tagged(seen(await findTemplate(served.context, call, { id: ids.template_id, ...query }))),
  })
}

function updateRoute(served: Served): Route {
  return defineRoute({
    ...item(served),
    method: 'PATCH',
    kind: 'write',
    operationId: 'updateTemplate',
    summary: 'Update a template; omitted fields stay, null resets to the default (RFC 7386)',
    failures: ['access_not_enabled', 'invalid_code_size', ...suffixFailures, 'conflict'],
    entity: 'both',
    body: mergePatchBody(templatePatchSchema),
    answers: { 200: { description: 'The template as it is now.', schema: templateSchema } },
    serve: async ({ call, ids, body }) =>
      tagged(
        written(
          200,
          await updateTemplate(served.context, call, { id: ids.template_id, patch: body }),
        ),
      ),
  })
}

function deleteRoute(served: Served): Route {
  return defineRoute({
    ...item(served),
    method: 'DELETE',
    kind: 'write',
    operationId: 'deleteTemplate',
    summary: 'Delete a template; a deleted one is not found',
    failures: ['access_not_enabled', 'conflict'],
    entity: 'guarded',
    answers: { 200: { description: 'The template is deleted.', schema: deletedTemplateSchema } },
    serve: async ({ call, ids }) =>
      written(200, await deleteTemplate(served.context, call, ids.template_id)),
  })
}
