/** Templates as they are sent and answered. */

import {
  type TemplateInput,
  type TemplatePatch,
  templateBounds,
  templateDefaults,
  templateKinds,
} from '../../domain/templates.ts'
import type { TemplateView } from '../../service/verification/verificationPart.ts'
import {
  type Fields,
  inputSchema,
  optional,
  optionalFields,
  viewSchema,
} from '../request/fields.ts'
import { pageSchema } from '../request/pageSchema.ts'
import { limits, type Schema } from '../request/schema.ts'

/** What is longer is no suffix, whatever it says; the others are looked at letter by letter. */
const suffixLength = 1_024

type Usual = keyof typeof templateDefaults

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

function within(name: keyof typeof templateBounds): Schema {
  const { min, max } = templateBounds[name]
  return { type: ['integer', 'null'], minimum: min, maximum: max }
}

/** Null stands for the default. */
function fieldOf(name: Usual): Schema {
  return { ...given[name], description: `${meanings[name]} Null: ${templateDefaults[name]}.` }
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

export const templateInputSchema: Schema = inputSchema<TemplateInput>('TemplateInput', {
  name,
  ...changeable,
})

export const templatePatchSchema: Schema = inputSchema<TemplatePatch>(
  'TemplatePatch',
  { name: optional(name), ...changeable },
  { description: 'What is left out stays as it is (RFC 7386).' },
)

export const templateSchema: Schema = viewSchema<TemplateView>('Template', {
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

export const templatesSchema: Schema = pageSchema('TemplatePage', 'templates', templateSchema)

export const deletedTemplateSchema: Schema = viewSchema<Pick<TemplateView, 'id'>>(
  'DeletedTemplate',
  { id: { type: 'string' } },
)
