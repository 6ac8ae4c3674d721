/** Declares the fields of a template as they stand in its form. */

import type { Template, TemplateInput } from '../../api/schema.ts'

/** As they are typed; of an empty one the service takes the default. */
export type Texts = Readonly<Record<keyof TemplateInput, string>>

export const kinds = ['optimized', 'psd2', 'account-takeover'] as const

/** Of the numbers: their words, default, and bounds. */
export const numbers = [
  ['code_size', 'Digits of a code', 6, 4, 8],
  ['ttl_minutes', 'Valid for, minutes', 10, 1, 1_440],
  ['max_retries', 'Sent again, times', 3, 0, 20],
  ['retry_delay_seconds', 'Apart, seconds', 30, 0, 3_600],
  ['per_phone_number_limit', 'Codes for a number', 5, 1, 1_000],
  ['sliding_window_hours', 'Within, hours', 24, 1, 720],
] as const

const isNumber = (field: string) => numbers.some(([number]) => number === field)

export function textsOf(template: Template | undefined): Texts {
  const { name = '', kind = 'optimized', suffix = '' } = template ?? {}
  const texts = numbers.map(([field]) => [field, String(template?.[field] ?? '')])
  return { name, kind, suffix, ...Object.fromEntries(texts) }
}

/** Of the fields that are given. */
export function inputOf(texts: Partial<Texts>): TemplateInput {
  const given = Object.entries(texts).map(([field, typed]) => {
    const text = typed.trim()
    return [field, text === '' ? null : isNumber(field) ? Number(text) : text]
  })
  return Object.fromEntries(given)
}

/** What it means to whoever waits for a code. */
export function describeTemplate(texts: Texts): string {
  const [size, minutes, times, seconds, limit, hours] = numbers.map(
    ([field, , usual]) => texts[field] || usual,
  )
  const again = `may be sent again ${times}×, ${seconds} s apart`
  return `A code of ${size} digits is valid for ${minutes} min and ${again}. A number gets at most ${limit} codes in ${hours} h.`
}
