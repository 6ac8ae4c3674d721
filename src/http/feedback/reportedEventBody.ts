/** Reads a batch of reported events: the target, label and confidence of each. */

import type { ReportedEventInput } from '../../commands/feedback/reports.ts'
import { confidences } from '../../domain/evaluation/feedback.ts'
import type { FailureDetail } from '../../domain/failure.ts'
import type { Schema } from '../../domain/schema.ts'
import { lenientSchema } from '../request/schema/fields.ts'
import { batchBody } from './batchBody.ts'
import { readReportedTarget, reportedTargetSchema } from './reportedTarget.ts'

/** No `@`, `+` or space: the label is stored unencrypted and must not name a person. */
export const labelPattern = '^[A-Za-z0-9][A-Za-z0-9._:/-]*$'
export const labelMax = 128

const reportedEventInputSchema: Schema = lenientSchema<ReportedEventInput>('ReportedEventInput', {
  target: reportedTargetSchema,
  label: {
    type: 'string',
    minLength: 1,
    maxLength: labelMax,
    pattern: labelPattern,
    description:
      'What happened, such as account.banned or payment.chargeback. It is kept in clear: it names no person.',
  },
  confidence: {
    type: 'string',
    enum: confidences,
    description: 'How sure the caller is of it.',
  },
})

/** `{events: [...]}`. */
export const reportedEventBody = batchBody<ReportedEventInput, ReportedEventInput>({
  title: 'ReportedEventBatch',
  name: 'events',
  entry: reportedEventInputSchema,
  readEntry: readEvent,
})

function readEvent(
  { target, label, confidence }: ReportedEventInput,
  problems: FailureDetail[],
  path: string,
): ReportedEventInput {
  return { target: readReportedTarget(target, problems, `${path}.target`), label, confidence }
}
