/** Reads the query parameters of the feedback and reported-event lists. */

import {
  feedbackTypes,
  type ReportedTarget,
  targetTypes,
} from '../../domain/evaluation/feedback.ts'
import type { FailureDetail } from '../../domain/failure.ts'
import type { FeedbackAsked, ReportedEventsAsked } from '../../queries/feedback/reports.ts'
import type { QueryReader, QueryTexts } from '../request/queryReader.ts'
import { readSought, soughtParameter, timeQuery } from '../request/soughtQuery.ts'
import { labelMax, labelPattern } from './reportedEventBody.ts'

const targetParameters = targetTypes.map(soughtParameter)

/** `phone_number` or `email_address`, `type`, `correlation_id`, and those of a search by time. */
export const feedbackQuery: QueryReader<FeedbackAsked> = {
  parameters: [
    ...targetParameters,
    {
      name: 'type',
      description: 'Only of this type.',
      schema: { type: 'string', enum: feedbackTypes },
    },
    soughtParameter('correlation_id'),
    ...timeQuery.parameters,
  ],
  read: (given, details) => {
    const type = readType(given, details)
    const correlationId = readSought(given, 'correlation_id', details)
    return {
      ...timeQuery.read(given, details),
      ...readTarget(given, details),
      ...(type !== undefined && { type }),
      ...(correlationId !== undefined && { correlationId }),
    }
  },
}

/** `phone_number` or `email_address`, `label`, and those of a search by time. */
export const reportedEventsQuery: QueryReader<ReportedEventsAsked> = {
  parameters: [
    ...targetParameters,
    {
      name: 'label',
      description: 'Only with this label.',
      schema: { type: 'string', minLength: 1, maxLength: labelMax, pattern: labelPattern },
    },
    ...timeQuery.parameters,
  ],
  read: (given, details) => {
    const label = readLabel(given, details)
    return {
      ...timeQuery.read(given, details),
      ...readTarget(given, details),
      ...(label !== undefined && { label }),
    }
  },
}

function readTarget(
  given: QueryTexts,
  details: FailureDetail[],
): { readonly target?: ReportedTarget } {
  const targets = targetTypes.flatMap((type) => {
    const value = readSought(given, type, details)
    return value === undefined ? [] : [{ type, value }]
  })
  const [target, other] = targets
  if (other) {
    details.push({
      path: other.type,
      message: 'Must not stand together with phone_number: a report is of one of them.',
    })
  }
  return target ? { target } : {}
}

function readType({ type }: QueryTexts, details: FailureDetail[]) {
  const known = feedbackTypes.find((one) => one === type)
  if (type !== undefined && known === undefined) {
    details.push({ path: 'type', message: `Must be one of: ${feedbackTypes.join(', ')}.` })
  }
  return known
}

const isLabel = new RegExp(labelPattern)

function readLabel({ label }: QueryTexts, details: FailureDetail[]): string | undefined {
  if (label === undefined || (label.length <= labelMax && isLabel.test(label))) return label
  details.push({
    path: 'label',
    message: `Must be a string of 1 to ${labelMax} characters that fits ${labelPattern}.`,
  })
  return undefined
}
