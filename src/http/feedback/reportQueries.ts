/** Reads the query parameters of the feedback and reported-event lists. */

import { feedbackTypes, type ReportedTarget } from '../../domain/evaluation/feedback.ts'
import type { FailureDetail } from '../../domain/failure.ts'
import type { FeedbackAsked, ReportedEventsAsked } from '../../queries/feedback/reports.ts'
import {
  choiceParameter,
  type Parameter,
  type QueryReader,
  queryOf,
} from '../request/queryReader.ts'
import { checkTimes, searchParameters, soughtParameter } from '../request/soughtQuery.ts'
import { labelMax, labelPattern } from './reportedEventBody.ts'

const isLabel = new RegExp(labelPattern)

const target = {
  phone_number: soughtParameter('phone_number'),
  email_address: soughtParameter('email_address'),
}

const label = {
  name: 'label',
  description: 'Only with this label.',
  schema: { type: 'string', minLength: 1, maxLength: labelMax, pattern: labelPattern },
  parse: (text) => (text.length <= labelMax && isLabel.test(text) ? text : undefined),
  message: `Must be a string of 1 to ${labelMax} characters that fits ${labelPattern}.`,
} satisfies Parameter<string>

/** `phone_number` or `email_address`, `type`, `correlation_id`, and those of a search by time. */
export const feedbackQuery: QueryReader<FeedbackAsked> = reportsQuery(
  queryOf({
    ...target,
    type: choiceParameter('type', feedbackTypes, 'Only of this type.'),
    correlationId: soughtParameter('correlation_id'),
    ...searchParameters,
  }),
)

/** `phone_number` or `email_address`, `label`, and those of a search by time. */
export const reportedEventsQuery: QueryReader<ReportedEventsAsked> = reportsQuery(
  queryOf({ ...target, label, ...searchParameters }),
)

interface ReportsGiven {
  readonly phone_number?: string
  readonly email_address?: string
  readonly fromMs?: number
  readonly toMs?: number
}

/** Reads both forms of a target as one. */
function reportsQuery<Given extends ReportsGiven>({ read, parameters }: QueryReader<Given>) {
  return {
    parameters,
    read: (given: Parameters<typeof read>[0], details: FailureDetail[]) => {
      const { phone_number: phone, email_address: email, ...asked } = read(given, details)
      checkTimes(asked, details)
      if (phone !== undefined && email !== undefined) {
        const message = 'Must not stand together with phone_number: a report is of one of them.'
        details.push({ path: 'email_address', message })
      }
      return { ...asked, ...targetOf(phone, email) }
    },
  }
}

function targetOf(
  phone: string | undefined,
  email: string | undefined,
): { readonly target?: ReportedTarget } {
  if (phone !== undefined) return { target: { type: 'phone_number', value: phone } }
  return email === undefined ? {} : { target: { type: 'email_address', value: email } }
}
