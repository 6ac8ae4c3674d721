/** Reads the target (phone number or email address) of feedback and of a reported event. */

import { canonicalEmail } from '../../domain/evaluation/email.ts'
import { type ReportedTarget, targetTypes } from '../../domain/evaluation/feedback.ts'
import { canonicalPhone } from '../../domain/evaluation/phone.ts'
import type { FailureDetail } from '../../domain/failure.ts'
import { limits, type Schema } from '../../domain/schema.ts'
import { lenientSchema } from '../request/schema/fields.ts'

export const reportedTargetSchema: Schema = lenientSchema<ReportedTarget>('ReportedTarget', {
  type: { type: 'string', enum: targetTypes },
  value: {
    type: 'string',
    maxLength: limits.text,
    description: 'A phone number in international form, or an email address.',
  },
})

const forms = {
  phone_number: {
    canonical: canonicalPhone,
    message: 'Must be a phone number in E.164 form, such as +15551234567.',
  },
  email_address: { canonical: canonicalEmail, message: 'Must be an email address.' },
} as const

/** The canonical target; a `value` that does not match its `type` is added to the problems under `path`. */
export function readReportedTarget(
  { type, value }: ReportedTarget,
  problems: FailureDetail[],
  path: string,
): ReportedTarget {
  const { canonical, message } = forms[type]
  const read = canonical(value)
  if (read === undefined) problems.push({ path: `${path}.value`, message })
  return { type, value: read ?? '' }
}
