/** Declares `vigil templates` and `vigil sender-ids`: message templates and sender IDs. */

import { senderIdStatuses } from '../../domain/verification/senderIds.ts'
import {
  numericTemplateSettings,
  type Template,
  type TemplatePatch,
  templateKinds,
} from '../../domain/verification/templates.ts'
import type { SubmittedSenderId } from '../../queries/verification/senderIds.ts'
import type {
  CommandDefinition,
  FieldSources,
  ListOutput,
  OptionDefinitions,
} from '../connecting/commandDefinition.ts'
import { idOrNameArgument } from '../connecting/resourceId.ts'
import { collectChoices, integerOption } from '../terminal/optionValues.ts'
import type { ItemColumns } from '../terminal/table.ts'

const senderIdPath = '/v2/verification/management/sender-id'
const accountPath = '/v2/operator/accounts/<account>/sender-ids'

const senderIdColumns: ItemColumns<SubmittedSenderId> = {
  ACCOUNT: { cell: 'account_id', optional: true },
  'SENDER ID': 'sender_id',
  STATUS: 'status',
  SUBMITTED: 'submitted_at',
  DECIDED: { cell: 'decided_at', optional: true },
  REASON: { cell: 'reason', optional: true, widthMax: 72, narrow: 'wrap' },
}
const list: ListOutput = {
  name: 'sender_ids',
  columns: senderIdColumns,
  emptyListMessage: 'No sender IDs.',
}

export const senderIdCommands: CommandDefinition = {
  summary: 'Submit sender IDs; approve or reject them (operator).',
  example: 'vigil sender-ids submit "Ada Shop"',
  commands: {
    list: {
      summary: 'List the sender IDs of the account, with their status.',
      request: `GET ${senderIdPath}`,
      list,
    },
    submit: {
      arguments: { '<sender-id>': 'as shown to the recipients of messages' },
      summary: 'Submit a sender ID for approval; already pending or approved is not an error.',
      request: `POST ${senderIdPath}`,
      body: { sender_id: '<sender-id>' },
    },
    review: {
      summary: 'List the sender IDs that accounts have submitted (operator).',
      options: {
        '--status <status>': {
          description: 'only with this status',
          choices: [...senderIdStatuses, 'all'],
          default: 'pending',
        },
        '--account <account>': 'only of this account',
      },
      caller: 'operator',
      request: 'GET /v2/operator/sender-ids',
      query: {
        status: (given) => (given('--status') === 'all' ? undefined : given('--status')),
        account_id: '--account',
      },
      list,
    },
    'approve <account> <sender-id>': {
      summary: 'Approve a sender ID (operator).',
      options: { '--reason <text>': 'a note for the account' },
      caller: 'operator',
      request: `POST ${accountPath}/approve`,
      body: { sender_id: '<sender-id>', reason: '--reason' },
    },
    'reject <account> <sender-id>': {
      summary: 'Reject a sender ID, also an approved one (operator).',
      example: '--reason "Registered by another company"',
      options: { '--reason <text>': { description: 'a note for the account', required: true } },
      caller: 'operator',
      request: `POST ${accountPath}/reject`,
      body: { sender_id: '<sender-id>', reason: '--reason' },
    },
  },
}

const path = '/v2/verification/management/templates'

const columns: ItemColumns<Template> = {
  ID: 'id',
  KIND: 'kind',
  DIGITS: { cell: 'code_size', align: 'right' },
  MINUTES: { cell: 'ttl_minutes', align: 'right' },
  SUFFIX: { cell: 'suffix', optional: true, widthMax: 48, narrow: 'wrap' },
  NAME: { cell: 'name', widthMax: 48, narrow: 'wrap' },
}

const template = { '<template>': idOrNameArgument({ noun: 'template', path }) }

function bounded(field: keyof typeof numericTemplateSettings, description: string) {
  const { min, max } = numericTemplateSettings[field]
  return integerOption(`${description}: ${min} to ${max}`, min, max)
}

const options: OptionDefinitions = {
  '--kind <kind>': { description: 'the purpose of the messages', choices: templateKinds },
  '--code-size <n>': bounded('code_size', 'digits of a code'),
  '--ttl <minutes>': bounded('ttl_minutes', 'how long a code is valid'),
  '--retries <n>': bounded('max_retries', 'how often a code may be sent again'),
  '--retry-delay <seconds>': bounded('retry_delay_seconds', 'the wait before it is sent again'),
  '--per-number <n>': bounded('per_phone_number_limit', 'codes per number within the window'),
  '--window <hours>': bounded('sliding_window_hours', 'the length of the window'),
  '--suffix <text>': 'appended to each message',
}

const body = {
  name: '--name',
  kind: '--kind',
  code_size: '--code-size',
  ttl_minutes: '--ttl',
  max_retries: '--retries',
  retry_delay_seconds: '--retry-delay',
  per_phone_number_limit: '--per-number',
  sliding_window_hours: '--window',
  suffix: '--suffix',
} satisfies Record<keyof TemplatePatch, `--${string}`>

const withDefault = ['kind', ...Object.keys(numericTemplateSettings), 'suffix']

/** The same fields; null for those that `--default` names. */
const patch: FieldSources = Object.fromEntries(
  Object.entries(body).map(([field, source]) => [
    field,
    (given) => (given<string[]>('--default')?.includes(field) ? null : given<unknown>(source)),
  ]),
)

export const templateCommands: CommandDefinition = {
  summary: 'Read and write templates of verification messages.',
  commands: {
    list: {
      summary: 'List all templates.',
      request: `GET ${path}`,
      list: { name: 'templates', columns },
    },
    get: {
      arguments: template,
      summary: 'Print a template.',
      request: `GET ${path}/<template>`,
    },
    'create <name>': {
      summary: 'Create a template; options that are not given have their default.',
      example: 'vigil templates create "Ada Shop" --code-size 4 --suffix "Ada Shop"',
      options,
      request: `POST ${path}`,
      body: { ...body, name: '<name>' },
    },
    update: {
      arguments: template,
      summary: 'Change a template; options that are not given change nothing.',
      example: '--ttl 5 --default suffix',
      options: {
        '--name <name>': 'the new name',
        ...options,
        '--default <field>': {
          description: 'reset it to its default; may be repeated',
          choices: withDefault,
          parse: collectChoices(withDefault),
        },
      },
      request: `PATCH ${path}/<template>`,
      body: patch,
      emptyBodyError: 'Say what to change, such as --ttl 5 or --default suffix.',
    },
    delete: {
      arguments: template,
      summary: 'Delete a template.',
      request: `DELETE ${path}/<template>`,
      confirmation: { sentence: 'Deleted <template>.', json: { id: '<template>', deleted: true } },
    },
  },
}
