/** Declares `vigil feedback list` and `vigil events list`: lists reports on end users. */

import { feedbackTypes } from '../../domain/evaluation/feedback.ts'
import type { FeedbackView, ReportedEventView } from '../../queries/feedback/reports.ts'
import type { CommandDefinition, OptionDefinitions } from '../connecting/commandDefinition.ts'
import { limitOption, timeOptions, timeQuery } from '../connecting/pagination.ts'
import { formatPersonal } from '../terminal/screen.ts'
import type { ItemColumns } from '../terminal/table.ts'

interface Reported {
  readonly target: FeedbackView['target']
}

const target = { cell: formatTarget, narrow: 'wrap' } as const

const feedbackColumns: ItemColumns<FeedbackView> = {
  RECEIVED: 'received_at',
  TYPE: 'type',
  TARGET: target,
  CORRELATION: {
    cell: ({ metadata }) => formatPersonal(metadata?.correlation_id ?? ''),
    widthMax: 64,
    narrow: 'wrap',
  },
  ID: 'id',
}

const eventColumns: ItemColumns<ReportedEventView> = {
  REPORTED: 'reported_at',
  LABEL: { cell: 'label', widthMax: 128, narrow: 'wrap' },
  CONFIDENCE: 'confidence',
  TARGET: target,
  ID: 'id',
}

const options: OptionDefinitions = {
  '--phone <number>': 'only of this phone number',
  '--email <address>': 'only of this email address',
  ...timeOptions,
  ...limitOption,
}
const query = { phone_number: '--phone', email_address: '--email', ...timeQuery } as const

export const feedbackCommands: CommandDefinition = {
  summary: 'List feedback on verifications.',
  example: 'vigil feedback list',
  commands: {
    list: {
      summary: 'List received feedback, newest first.',
      example: '--phone +33612345678 --type verification.completed',
      options: {
        '--type <type>': { description: 'only of this type', choices: feedbackTypes },
        '--correlation-id <id>': 'only with this correlation id',
        ...options,
      },
      request: 'GET /v2/watch/feedback',
      query: { ...query, type: '--type', correlation_id: '--correlation-id' },
      list: { name: 'feedbacks', columns: feedbackColumns, emptyListMessage: 'No feedback.' },
    },
  },
}

export const eventCommands: CommandDefinition = {
  summary: 'List events of end users.',
  example: 'vigil events list',
  commands: {
    list: {
      summary: 'List reported events, newest first.',
      example: '--label payment.chargeback --from 2026-11-01T00:00:00Z',
      options: { '--label <label>': 'only with this label', ...options },
      request: 'GET /v2/watch/event',
      query: { ...query, label: '--label' },
      list: { name: 'events', columns: eventColumns },
    },
  },
}

function formatTarget({ target: { type, value } }: Reported): string {
  return value !== undefined ? formatPersonal(value) : `a ${type.replace('_', ' ')} that was erased`
}
