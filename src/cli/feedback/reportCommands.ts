/** Declares `vigil feedback list` and `vigil events list`: lists reports on end users. */

import { feedbackTypes } from '../../domain/evaluation/feedback.ts'
import type { FeedbackView, ReportedEventView } from '../../queries/feedback/reports.ts'
import type { CommandDefinition, OptionDefinitions } from '../connecting/commandDefinition.ts'
import { limitOption, timeOptions, timeQuery } from '../connecting/pagination.ts'
import type { CellColumn } from '../terminal/table.ts'

interface Reported {
  readonly target: FeedbackView['target']
}

const target: CellColumn<Reported> = { title: 'TARGET', cell: targetText, narrow: 'wrap' }

const feedbackColumns: readonly CellColumn<FeedbackView>[] = [
  { title: 'RECEIVED', cell: 'received_at' },
  { title: 'TYPE', cell: 'type' },
  target,
  {
    title: 'CORRELATION',
    cell: ({ metadata }) => metadata?.correlation_id ?? '',
    widthMax: 64,
    narrow: 'wrap',
  },
  { title: 'ID', cell: 'id' },
]

const eventColumns: readonly CellColumn<ReportedEventView>[] = [
  { title: 'REPORTED', cell: 'reported_at' },
  { title: 'LABEL', cell: 'label', widthMax: 128, narrow: 'wrap' },
  { title: 'CONFIDENCE', cell: 'confidence' },
  target,
  { title: 'ID', cell: 'id' },
]

const options: OptionDefinitions = {
  '--phone <number>': 'only of this phone number',
  '--email <address>': 'only of this email address',
  ...timeOptions,
  ...limitOption,
}
const query = { phone_number: '--phone', email_address: '--email', ...timeQuery } as const

export const feedbackCommands: CommandDefinition = {
  usage: 'feedback',
  summary: 'List feedback on verifications.',
  example: 'vigil feedback list',
  commands: [
    {
      usage: 'list',
      summary: 'List received feedback, newest first.',
      example: 'vigil feedback list --phone +33612345678 --type verification.completed',
      options: {
        '--type <type>': { description: 'only of this type', choices: feedbackTypes },
        '--correlation-id <id>': 'only with this correlation id',
        ...options,
      },
      request: 'GET /v2/watch/feedback',
      query: { ...query, type: '--type', correlation_id: '--correlation-id' },
      list: {
        name: 'feedbacks',
        columns: feedbackColumns,
        emptyListMessage: 'No feedback.',
        pages: 'limit',
      },
    },
  ],
}

export const eventCommands: CommandDefinition = {
  usage: 'events',
  summary: 'List events of end users.',
  example: 'vigil events list',
  commands: [
    {
      usage: 'list',
      summary: 'List reported events, newest first.',
      example: 'vigil events list --label payment.chargeback --from 2026-11-01T00:00:00Z',
      options: { '--label <label>': 'only with this label', ...options },
      request: 'GET /v2/watch/event',
      query: { ...query, label: '--label' },
      list: {
        name: 'events',
        columns: eventColumns,
        emptyListMessage: 'No events.',
        pages: 'limit',
      },
    },
  ],
}

function targetText({ target: { type, value } }: Reported): string {
  return value ?? `a ${type.replace('_', ' ')} that was erased`
}
