/** The templates of an account (spec 4.3). */

import { idPrefixes } from '../../domain/ids.ts'
import type { TemplateInput, TemplatePatch } from '../../domain/templates.ts'
import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type { VerificationPart } from '../../service/verification/verificationPart.ts'
import { accountAccess } from '../request/access.ts'
import { seen, tagged, written } from '../request/answer.ts'
import { mergePatchBody, noBody, schemaBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { askingQuery, noQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { wholeOrPage } from '../request/wholeOrPage.ts'
import {
  deletedTemplateSchema,
  templateInputSchema,
  templatePatchSchema,
  templateSchema,
  templatesSchema,
} from './templateSchemas.ts'

type Verification = AccountsPart & VerificationPart

/** `/v2/verification/management/templates`, for accounts on which the operator has enabled it. */
export function templateRoutes(service: Verification): readonly Route[] {
  return [
    listRoute(service),
    createRoute(service),
    getRoute(service),
    updateRoute(service),
    removeRoute(service),
  ]
}

const path = '/v2/verification/management/templates'

const common = ({ authenticate }: AccountsPart) =>
  ({
    path,
    tag: 'Verification management',
    access: accountAccess(authenticate, 'manage'),
    ids: {},
  }) as const

const item = (service: AccountsPart) =>
  ({
    ...common(service),
    path: `${path}/{template_id}`,
    ids: { template_id: idPrefixes.template },
  }) as const

const suffixFailures = [
  'custom_suffix_not_enabled',
  'invalid_suffix',
  'suffix_not_allowed',
  'suffix_script_not_supported',
] as const

function listRoute(service: Verification): Route {
  return defineRoute({
    ...common(service),
    method: 'GET',
    kind: 'read',
    operationId: 'listTemplates',
    summary: 'The templates of the account in the order they were created: all, or a page',
    failures: ['access_not_enabled'],
    query: wholeOrPage,
    body: noBody,
    answers: { 200: { description: 'The templates.', schema: templatesSchema } },
    serve: async ({ call, query }) => {
      const { value, position } = await service.templates.list(call, query)
      const { items, nextCursor } = value
      return seen({ value: { templates: items, next_cursor: nextCursor }, position })
    },
  })
}

function createRoute(service: Verification): Route {
  return defineRoute({
    ...common(service),
    method: 'POST',
    kind: 'write',
    operationId: 'createTemplate',
    summary: 'Create a template; what it leaves out has its default',
    failures: ['access_not_enabled', 'invalid_code_size', ...suffixFailures, 'conflict'],
    entity: 'tagged',
    query: noQuery,
    body: schemaBody<TemplateInput>(templateInputSchema),
    answers: { 201: { description: 'The new template.', schema: templateSchema } },
    serve: async ({ call, body }) =>
      tagged(written(201, await service.templates.create(call, body))),
  })
}

function getRoute(service: Verification): Route {
  return defineRoute({
    ...item(service),
    method: 'GET',
    kind: 'read',
    operationId: 'getTemplate',
    summary: 'Retrieve a template',
    failures: ['access_not_enabled'],
    entity: 'tagged',
    query: askingQuery,
    body: noBody,
    answers: {
      200: { description: 'The template.', schema: templateSchema },
      304: { description: 'It is still the one of the tag.' },
    },
    serve: async ({ call, ids, query }) =>
      tagged(seen(await service.templates.get(call, ids.template_id, query))),
  })
}

function updateRoute(service: Verification): Route {
  return defineRoute({
    ...item(service),
    method: 'PATCH',
    kind: 'write',
    operationId: 'updateTemplate',
    summary: 'Change a template; what is left out stays, null stands for the default (RFC 7386)',
    failures: ['access_not_enabled', 'invalid_code_size', ...suffixFailures, 'conflict'],
    entity: 'both',
    query: noQuery,
    body: mergePatchBody<TemplatePatch>(templatePatchSchema),
    answers: { 200: { description: 'The template as it is now.', schema: templateSchema } },
    serve: async ({ call, ids, body }) =>
      tagged(written(200, await service.templates.update(call, ids.template_id, body))),
  })
}

function removeRoute(service: Verification): Route {
  return defineRoute({
    ...item(service),
    method: 'DELETE',
    kind: 'write',
    operationId: 'deleteTemplate',
    summary: 'Delete a template; one that is gone already is not found',
    failures: ['access_not_enabled', 'conflict'],
    entity: 'guarded',
    query: noQuery,
    body: noBody,
    answers: { 200: { description: 'The template is gone.', schema: deletedTemplateSchema } },
    serve: async ({ call, ids }) =>
      written(200, await service.templates.remove(call, ids.template_id)),
  })
}
