/** Routes the message templates of an account (spec 4.3). */

import {
  createTemplate,
  deleteTemplate,
  type Template,
  updateTemplate,
} from '../../commands/verification/templates.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { limits, optional, optionalFields, pageSchema, type Schema } from '../../domain/schema.ts'
import {
  type TemplateInput,
  type TemplatePatch,
  templateBounds,
  templateDefaults,
  templateKinds,
} from '../../domain/verification/templates.ts'
import { findTemplate, listTemplates } from '../../queries/verification/templates.ts'
import { seen, seenPage, tagged, written } from '../request/answer.ts'
import { mergePatchBody, schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { askingQuery } from '../request/queryReader.ts'
import { accountAccess, type Route, type Served } from '../request/route.ts'
import { type Fields, inputSchema, viewSchema } from '../request/schema/fields.ts'
import { wholeOrPage } from '../request/wholeOrPage.ts'

/** What is longer is no suffix, whatever it says; the others are looked at letter by letter. */
const suffixLength = 1_024

/** What each field that has a default means. */
const meanings: Readonly<Record<Usual, string>> = {
  kind: 'What the messages are made for.',
  code_size: 'Digits of a code, 4 to 8.',
  ttl_minutes: 'How long a code is valid.',
  max_retries: 'How often a code may be sent again.',
  retry_delay_seconds: 'How long after the one before.',
  per_phone_number_limit: 'How many codes a number may be sent within the sliding window.',
  sliding_window_hours: 'How long the sliding window is.',
}

const suffixMeaning = 'Stands at the end of a message: whom the code is for.'

const given: Readonly<Record<Usual, Schema>> = {
  kind: { type: ['string', 'null'], enum: [...templateKinds, null] },
  // a size out of bounds has a code of its own
  code_size: { type: ['integer', 'null'] },
  ttl_minutes: within('ttl_minutes'),
  max_retries: within('max_retries'),
  retry_delay_seconds: within('retry_delay_seconds'),
  per_phone_number_limit: within('per_phone_number_limit'),
  sliding_window_hours: within('sliding_window_hours'),
}

const name: Schema = { type: 'string', minLength: 1, maxLength: limits.name }

const changeable = optionalFields({
  kind: fieldOf('kind'),
  code_size: fieldOf('code_size'),
  ttl_minutes: fieldOf('ttl_minutes'),
  max_retries: fieldOf('max_retries'),
  retry_delay_seconds: fieldOf('retry_delay_seconds'),
  per_phone_number_limit: fieldOf('per_phone_number_limit'),
  sliding_window_hours: fieldOf('sliding_window_hours'),
  suffix: {
    type: ['string', 'null'],
    maxLength: suffixLength,
    description: `${suffixMeaning} Null: none.`,
  },
}) satisfies Fields<Omit<TemplatePatch, 'name'>>

const templateInputSchema: Schema = inputSchema<TemplateInput>('TemplateInput', {
  name,
  ...changeable,
})

const templatePatchSchema: Schema = inputSchema<TemplatePatch>(
  'TemplatePatch',
  { name: optional(name), ...changeable },
  { description: 'What is left out stays as it is (RFC 7386).' },
)

const templateSchema: Schema = viewSchema<Template>('Template', {
  id: { type: 'string' },
  name: { type: 'string' },
  kind: { type: 'string', enum: templateKinds, description: meanings.kind },
  code_size: { type: 'integer', description: meanings.code_size },
  ttl_minutes: { type: 'integer', description: meanings.ttl_minutes },
  max_retries: { type: 'integer', description: meanings.max_retries },
  retry_delay_seconds: { type: 'integer', description: meanings.retry_delay_seconds },
  per_phone_number_limit: { type: 'integer', description: meanings.per_phone_number_limit },
  sliding_window_hours: { type: 'integer', description: meanings.sliding_window_hours },
  suffix: optional({ type: 'string', description: suffixMeaning }),
})

const templatesSchema: Schema = pageSchema('TemplatePage', 'templates', templateSchema)

const deletedTemplateSchema: Schema = viewSchema<Pick<Template, 'id'>>('DeletedTemplate', {
  id: { type: 'string' },
})

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
    summary: 'The templates of the account in the order they were created: all, or a page',
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
    summary: 'Create a template; what it leaves out has its default',
    failures: ['access_not_enabled', 'invalid_code_size', ...suffixFailures, 'conflict'],
    entity: 'tagged',
    body: schemaBody<TemplateInput>(templateInputSchema),
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
      304: { description: 'It is still the one of the tag.' },
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
    summary: 'Change a template; what is left out stays, null stands for the default (RFC 7386)',
    failures: ['access_not_enabled', 'invalid_code_size', ...suffixFailures, 'conflict'],
    entity: 'both',
    body: mergePatchBody<TemplatePatch>(templatePatchSchema),
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
    summary: 'Delete a template; one that is gone already is not found',
    failures: ['access_not_enabled', 'conflict'],
    entity: 'guarded',
    answers: { 200: { description: 'The template is gone.', schema: deletedTemplateSchema } },
    serve: async ({ call, ids }) =>
      written(200, await deleteTemplate(served.context, call, ids.template_id)),
  })
}

type Usual = keyof typeof templateDefaults

function within(name: keyof typeof templateBounds): Schema {
  const { min, max } = templateBounds[name]
  return { type: ['integer', 'null'], minimum: min, maximum: max }
}

/** Null stands for the default. */
function fieldOf(name: Usual): Schema {
  return { ...given[name], description: `${meanings[name]} Null: ${templateDefaults[name]}.` }
}
