/** Declares OTP templates: schemas, defaults, bounds, and the merge of a change (spec 4.3). */

import {
  closedObject,
  inputLimits,
  openObject,
  optional,
  optionalFields,
  pageSchema,
  type TypeOf,
  text,
} from '../jsonSchema.ts'

export const templateKinds = ['optimized', 'psd2', 'account-takeover'] as const

/** How many templates an account may have: few enough to be answered at once. */
export const templatesMax = 500

/** The defaults of a template. */
export const templateDefaults = Object.freeze({
  kind: 'optimized',
  code_size: 6,
  ttl_minutes: 10,
  max_retries: 3,
  retry_delay_seconds: 30,
  per_phone_number_limit: 5,
  sliding_window_hours: 24,
})

type Measure = Exclude<keyof typeof templateDefaults, 'kind'>

/** The least and the most that each number may be. */
export const templateBounds: Readonly<
  Record<Measure, { readonly min: number; readonly max: number }>
> = Object.freeze({
  code_size: { min: 4, max: 8 },
  ttl_minutes: { min: 1, max: 1_440 },
  max_retries: { min: 0, max: 20 },
  retry_delay_seconds: { min: 0, max: 3_600 },
  per_phone_number_limit: { min: 1, max: 1_000 },
  sliding_window_hours: { min: 1, max: 720 },
})

const kindMeaning = 'The purpose of the messages.'
const suffixMeaning = 'End of a message: who the code is for.'

const measures: Readonly<Record<Measure, string>> = {
  code_size: 'Digits of a code, 4 to 8.',
  ttl_minutes: 'How long a code is valid.',
  max_retries: 'How often a code may be sent again.',
  retry_delay_seconds: 'Seconds between two codes.',
  per_phone_number_limit: 'How many codes a number may be sent within the sliding window.',
  sliding_window_hours: 'How long the sliding window is.',
}

function forMeasures<Field>(
  field: (name: Measure, meaning: string) => Field,
): Readonly<Record<Measure, Field>> {
  const entries = Object.entries(measures) as [Measure, string][]
  return Object.fromEntries(
    entries.map(([name, meaning]) => [name, field(name, meaning)]),
  ) as Record<Measure, Field>
}

/** Longer suffixes are refused unread; others are checked letter by letter. */
const suffixLength = 1_024

const name = { type: 'string', minLength: 1, maxLength: inputLimits.name } as const

const changeable = optionalFields({
  kind: {
    type: ['string', 'null'],
    enum: [...templateKinds, null],
    description: `${kindMeaning} Null: ${templateDefaults.kind}.`,
  },
  ...forMeasures((name, meaning) => {
    const { min: minimum, max: maximum } = templateBounds[name]
    return {
      type: ['integer', 'null'] as const,
      // a size out of bounds has a failure code of its own
      ...(name !== 'code_size' && { minimum, maximum }),
      description: `${meaning} Null: ${templateDefaults[name]}.`,
    }
  }),
  suffix: {
    type: ['string', 'null'],
    maxLength: suffixLength,
    description: `${suffixMeaning} Null: none.`,
  },
})

/** A new template; omitted fields have their defaults. */
export const templateInputSchema = closedObject('TemplateInput', { name, ...changeable })
export type TemplateInput = TypeOf<typeof templateInputSchema>

/** A change of a template (RFC 7386): null takes a field away, which leaves its default, and no suffix. */
export const templatePatchSchema = closedObject(
  'TemplatePatch',
  { name: optional(name), ...changeable },
  { description: 'Omitted fields stay (RFC 7386).' },
)
export type TemplatePatch = TypeOf<typeof templatePatchSchema>

export const templateSchema = openObject('Template', {
  id: text,
  name: text,
  kind: { type: 'string', enum: templateKinds, description: kindMeaning },
  ...forMeasures((_, description) => ({ type: 'integer' as const, description })),
  suffix: optional({ type: 'string', description: suffixMeaning }),
})
export type Template = TypeOf<typeof templateSchema>
export type TemplateContent = Omit<Template, 'id'>

export const templatesSchema = pageSchema('TemplatePage', 'templates', templateSchema)
export const deletedTemplateSchema = openObject('DeletedTemplate', { id: text })

/** The template after the change (RFC 7386). */
export function mergedTemplate(template: TemplateContent, patch: TemplatePatch): TemplateContent {
  const { suffix, ...merged } = { ...template, ...patch }
  return {
    name: merged.name,
    kind: merged.kind ?? templateDefaults.kind,
    ...forMeasures((name) => merged[name] ?? templateDefaults[name]),
    ...(typeof suffix === 'string' && { suffix }),
  }
}
