/** Declares `vigil feedback`, `events` and `labels`: reports on end users, and what they mean. */

import { InvalidArgumentError } from 'commander'
import type { LabelClasses } from '../../commands/feedback/setLabelClasses.ts'
import { feedbackTypes } from '../../domain/evaluation/feedback.ts'
import type { LabelClass } from '../../domain/evaluation/labelClasses.ts'
import type { FeedbackView, ReportedEventView } from '../../queries/feedback/reports.ts'
import type { CommandDefinition, OptionDefinitions } from '../connecting/commandDefinition.ts'
import { exportCommand } from '../connecting/exportCommand.ts'
import { limitOption, timeOptions, timeQuery } from '../connecting/pagination.ts'
import { collectParsed } from '../terminal/optionValues.ts'
import { formatPersonal } from '../terminal/screen.ts'
import { formatItemTable, type ItemColumns } from '../terminal/table.ts'

interface Reported {
  readonly target: FeedbackView['target']
}

const target = { cell: formatTarget, narrow: 'wrap' } as const

const detailColumns = {
  OCCURRED: { cell: 'occurred_at', optional: true },
  AMOUNT: { cell: formatAmount, optional: true, align: 'right' },
  EVALUATION: { cell: 'evaluation_id', optional: true },
} satisfies ItemColumns<ReportedEventView>

const feedbackColumns: ItemColumns<FeedbackView> = {
  RECEIVED: 'received_at',
  TYPE: 'type',
  TARGET: target,
  ...detailColumns,
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
  ...detailColumns,
  ID: 'id',
}

const filterOptions: OptionDefinitions = {
  '--phone <number>': 'only of this phone number',
  '--email <address>': 'only of this email address',
  '--correlation-id <id>': 'only with this correlation id',
  ...timeOptions,
}
const options: OptionDefinitions = { ...filterOptions, ...limitOption }
const query = {
  phone_number: '--phone',
  email_address: '--email',
  correlation_id: '--correlation-id',
  ...timeQuery,
} as const

const typeOption = {
  '--type <type>': { description: 'only of this type', choices: feedbackTypes },
} as const
const labelOption = { '--label <label>': 'only with this label' } as const

export const feedbackCommands: CommandDefinition = {
  summary: 'List and export feedback on verifications.',
  example: 'vigil feedback list',
  commands: {
    list: {
      summary: 'List received feedback, newest first.',
      example: '--phone +33612345678 --type verification.completed',
      options: { ...typeOption, ...options },
      request: 'GET /v2/watch/feedback',
      query: { ...query, type: '--type' },
      list: { name: 'feedbacks', columns: feedbackColumns, emptyListMessage: 'No feedback.' },
    },
    export: exportCommand({
      summary: 'Write all received feedback to a file, newest first.',
      example: 'vigil feedback export feedback.parquet --from 2026-11-01T00:00:00Z',
      path: '/v2/watch/feedback/export',
      options: { ...typeOption, ...filterOptions },
      query: { ...query, type: '--type' },
    }),
  },
}

export const eventCommands: CommandDefinition = {
  summary: 'List and export events of end users.',
  example: 'vigil events list',
  commands: {
    list: {
      summary: 'List reported events, newest first.',
      example: '--label payment.chargeback --from 2026-11-01T00:00:00Z',
      options: { ...labelOption, ...options },
      request: 'GET /v2/watch/event',
      query: { ...query, label: '--label' },
      list: { name: 'events', columns: eventColumns },
    },
    export: exportCommand({
      summary: 'Write all reported events to a file, newest first.',
      example: 'vigil events export events.csv --label payment.chargeback',
      path: '/v2/watch/event/export',
      options: { ...labelOption, ...filterOptions },
      query: { ...query, label: '--label' },
    }),
  },
}

const path = '/v2/watch/management/labels'

const labelColumns: ItemColumns<LabelClass> = {
  LABEL: { cell: 'label', widthMax: 130, narrow: 'wrap' },
  CONFIDENCES: ({ confidences }) => confidences?.join(', ') ?? 'all',
  CLASS: 'class',
}

export const labelCommands: CommandDefinition = {
  summary: 'Show and set which reported events mean fraud, and which a legitimate user.',
  example: 'vigil labels list',
  commands: {
    list: {
      summary: 'List the classes; the first that fits an event counts.',
      request: `GET ${path}`,
      list: {
        name: 'classes',
        columns: labelColumns,
        emptyListMessage: 'No classes.',
        isPaged: false,
      },
    },
    set: {
      arguments: {
        '<classes...>': {
          description: 'LABEL=CLASS or LABEL@CONFIDENCE,…=CLASS in their order, or none',
          parse: (given: string, before?: readonly object[]) =>
            collectParsed(given, before, parseLabelClass),
        },
      },
      summary:
        'Replace them: fraud, legitimate or none for a label, or for the end of labels from a dot on.',
      example:
        'vigil labels set chargeback=fraud account.banned@high,maximum=fraud order.delivered=legitimate',
      request: `PUT ${path}`,
      body: { classes: '<classes>' },
      lines: ({ classes }: LabelClasses, { screen }) =>
        formatItemTable(labelColumns, classes, screen),
    },
  },
}

function parseLabelClass(given: string): object {
  const [, label, confidences, labelClass] = /^([^@=]+)(?:@([^=]+))?=([a-z]+)$/.exec(given) ?? []
  if (label === undefined) {
    throw new InvalidArgumentError('Must be LABEL=CLASS, or LABEL@CONFIDENCE,…=CLASS.')
  }
  const some = confidences === undefined ? {} : { confidences: confidences.split(',') }
  return { label, ...some, class: labelClass }
}

function formatAmount({ amount, currency }: Pick<ReportedEventView, 'amount' | 'currency'>) {
  return amount === undefined ? '' : `${amount} ${currency}`
}

function formatTarget({ target: { type, value } }: Reported): string {
  return value !== undefined ? formatPersonal(value) : `a ${type.replace('_', ' ')} that was erased`
}
