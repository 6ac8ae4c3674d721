/** Declares OTP templates: their fields, defaults and bounds, and how a change is merged (spec 4.3). */

export const templateKinds = ['optimized', 'psd2', 'account-takeover'] as const

/** How many templates an account may have: few enough to be answered at once. */
export const templatesMax = 500

export interface TemplateContent {
  readonly name: string
  readonly kind: (typeof templateKinds)[number]
  /** Digits of a code. */
  readonly code_size: number
  /** How long a code is valid. */
  readonly ttl_minutes: number
  /** How often a code may be sent again, and how long after the one before. */
  readonly max_retries: number
  readonly retry_delay_seconds: number
  /** How many codes a number may be sent within the sliding window. */
  readonly per_phone_number_limit: number
  readonly sliding_window_hours: number
  /** Stands at the end of a message: whom the code is for. */
  readonly suffix?: string
}

/** The defaults of a template. */
export const templateDefaults = Object.freeze({
  kind: 'optimized',
  code_size: 6,
  ttl_minutes: 10,
  max_retries: 3,
  retry_delay_seconds: 30,
  per_phone_number_limit: 5,
  sliding_window_hours: 24,
} satisfies Omit<TemplateContent, 'name' | 'suffix'>)

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

/** A change of a template as RFC 7386 has it: null takes a field away, which leaves its default, and of the suffix nothing. */
export type TemplatePatch = Partial<
  { readonly name: string } & {
    readonly [Field in Exclude<keyof TemplateContent, 'name'>]: TemplateContent[Field] | null
  }
>

/** A new template has a name; omitted fields have their defaults. */
export type TemplateInput = TemplatePatch & { readonly name: string }

/** The template after the change (RFC 7386). */
export function mergedTemplate(template: TemplateContent, patch: TemplatePatch): TemplateContent {
  const { suffix, ...merged } = { ...template, ...patch }
  return {
    name: merged.name,
    kind: merged.kind ?? templateDefaults.kind,
    code_size: merged.code_size ?? templateDefaults.code_size,
    ttl_minutes: merged.ttl_minutes ?? templateDefaults.ttl_minutes,
    max_retries: merged.max_retries ?? templateDefaults.max_retries,
    retry_delay_seconds: merged.retry_delay_seconds ?? templateDefaults.retry_delay_seconds,
    per_phone_number_limit:
      merged.per_phone_number_limit ?? templateDefaults.per_phone_number_limit,
    sliding_window_hours: merged.sliding_window_hours ?? templateDefaults.sliding_window_hours,
    ...(typeof suffix === 'string' && { suffix }),
  }
}
