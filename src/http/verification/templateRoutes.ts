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
import { listTemplates, requireTemplate } from '../../queries/verification/templates.ts'
import { accountAccess } from '../request/access.ts'
import { pageAnswer, valueAnswer } from '../request/answer.ts'
import { mergePatchBody, schemaBody } from '../request/body/bodyReader.ts'
import { minPositionQuery, optionalPageQuery } from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'

const path = '/v2/verification/management/templates'

const common = { path, tag: 'Verification management', access: accountAccess('manage') } as const

const item = {
  ...common,
  path: `${path}/{template_id}`,
  ids: { template_id: idPrefixes.template },
} as const

const suffixFailures = [
  'custom_suffix_not_enabled',
  'invalid_suffix',
  'suffix_not_allowed',
  'suffix_script_not_supported',
] as const

/** `/v2/verification/management/templates`, for accounts on which the operator has enabled it. */
export const templateRoutes: readonly Route[] = [
  defineRoute({
    ...common,
    method: 'GET',
    operationId: 'listTemplates',
    summary: 'List the templates of the account in the order of creation: all, or a page',
    failures: ['access_not_enabled'],
    query: optionalPageQuery,
    answers: { 200: { description: 'The templates.', schema: templatesSchema } },
    serve: ({ context, call, query }) =>
      pageAnswer('templates', listTemplates(context, call, query)),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    operationId: 'createTemplate',
    summary: 'Create a template; omitted fields have their default',
    failures: ['access_not_enabled', 'invalid_code_size', ...suffixFailures, 'conflict'],
    entity: 'tagged',
    body: schemaBody(templateInputSchema),
    answers: { 201: { description: 'The new template.', schema: templateSchema } },
    serve: ({ context, call, body }) => createTemplate(context, call, body),
  }),
  defineRoute({
    ...item,
    method: 'GET',
    operationId: 'getTemplate',
    summary: 'Retrieve a template',
    failures: ['access_not_enabled'],
    entity: 'tagged',
    query: minPositionQuery,
    answers: {
      200: { description: 'The template.', schema: templateSchema },
      304: { description: 'Not modified.' },
    },
    serve: ({ context, call, ids, query }) =>
      valueAnswer(requireTemplate(context, call, { id: ids.template_id, ...query })),
  }),
  defineRoute({
    ...item,
    method: 'PATCH',
    operationId: 'updateTemplate',
    summary: 'Update a template; omitted fields stay, null resets to the default (RFC 7386)',
    failures: ['access_not_enabled', 'invalid_code_size', ...suffixFailures, 'conflict'],
    entity: 'both',
    body: mergePatchBody(templatePatchSchema),
    answers: { 200: { description: 'The template as it is now.', schema: templateSchema } },
    serve: ({ context, call, ids, body }) =>
      updateTemplate(context, call, { id: ids.template_id, patch: body }),
  }),
  defineRoute({
    ...item,
    method: 'DELETE',
    operationId: 'deleteTemplate',
    summary: 'Delete a template; a deleted one is not found',
    failures: ['access_not_enabled', 'conflict'],
    entity: 'guarded',
    answers: { 200: { description: 'The template is deleted.', schema: deletedTemplateSchema } },
    serve: ({ context, call, ids }) => deleteTemplate(context, call, ids.template_id),
  }),
]
