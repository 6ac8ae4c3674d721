/** Declares the schemas, limits and defaults of message templates (spec 4.3). */

import {
  closedObject,
  nameSchema,
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

interface NumericSetting {
  /** The value where none is given. */
  readonly usual: number
  readonly min: number
  readonly max: number
  readonly meaning: string
}

export const numericTemplateSettings = Object.freeze({
  code_size: { usual: 6, min: 4, max: 8, meaning: 'Digits of a code, 4 to 8.' },
  ttl_minutes: { usual: 10, min: 1, max: 1_440, meaning: 'How long a code is valid.' },
  max_retries: { usual: 3, min: 0, max: 20, meaning: 'How often a code may be sent again.' },
  retry_delay_seconds: { usual: 30, min: 0, max: 3_600, meaning: 'Seconds between two codes.' },
  per_phone_number_limit: {
    usual: 5,
    min: 1,
    max: 1_000,
    meaning: 'How many codes a number may be sent within the sliding window.',
  },
  sliding_window_hours: {
    usual: 24,
    min: 1,
    max: 720,
    meaning: 'How long the sliding window is.',
  },
}) satisfies Readonly<Record<string, NumericSetting>>
type NumericSettingName = keyof typeof numericTemplateSettings

const usualKind = 'optimized'
const kindMeaning = 'The purpose of the messages.'
const suffixMeaning = 'End of a message: who the code is for.'

function mapNumericSettings<Field>(
  toField: (measure: NumericSetting, name: NumericSettingName) => Field,
): Readonly<Record<NumericSettingName, Field>> {
  const entries = Object.entries(numericTemplateSettings) as [NumericSettingName, NumericSetting][]
  const fields = entries.map(([name, measure]) => [name, toField(measure, name)])
  return Object.fromEntries(fields) as Record<NumericSettingName, Field>
}

/** Longer suffixes are refused unread; others are checked letter by letter. */
const suffixLength = 1_024

const changeable = optionalFields({
  kind: {
    type: ['string', 'null'],
    enum: [...templateKinds, null],
    description: `${kindMeaning} Null: ${usualKind}.`,
  },
  ...mapNumericSettings(({ usual, min: minimum, max: maximum, meaning }, name) => ({
    type: ['integer', 'null'] as const,
    // a size out of bounds has a failure code of its own
    ...(name !== 'code_size' && { minimum, maximum }),
    description: `${meaning} Null: ${usual}.`,
  })),
  suffix: {
    type: ['string', 'null'],
    maxLength: suffixLength,
    description: `${suffixMeaning} Null: none.`,
  },
})

/** A new template; omitted fields have their defaults. */
export const templateInputSchema = closedObject('TemplateInput', {
  name: nameSchema,
  ...changeable,
})
export type TemplateInput = TypeOf<typeof templateInputSchema>

/** A change of a template (RFC 7386): null takes a field away, which leaves its default, and no suffix. */
export const templatePatchSchema = closedObject(
  'TemplatePatch',
  { name: optional(nameSchema), ...changeable },
  { description: 'Omitted fields stay (RFC 7386).' },
)
export type TemplatePatch = TypeOf<typeof templatePatchSchema>

export const templateSchema = openObject('Template', {
  id: text,
  name: text,
  kind: { type: 'string', enum: templateKinds, description: kindMeaning },
  ...mapNumericSettings(({ meaning: description }) => ({ type: 'integer' as const, description })),
  suffix: optional({ type: 'string', description: suffixMeaning }),
})
export type Template = TypeOf<typeof templateSchema>
export type TemplateContent = Omit<Template, 'id'>

export const templatesSchema = pageSchema('TemplatePage', 'templates', templateSchema)
export const deletedTemplateSchema = openObject('DeletedTemplate', { id: text })

/** The content of a template with these fields; those that are absent or null have their defaults. */
export function applyTemplateDefaults({ suffix, ...given }: TemplateInput): TemplateContent {
  return {
    name: given.name,
    kind: given.kind ?? usualKind,
    ...mapNumericSettings(({ usual }, name) => given[name] ?? usual),
    ...(typeof suffix === 'string' && { suffix }),
  }
}
