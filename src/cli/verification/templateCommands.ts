/** Declares `vigil templates`: manages the message templates of an account. */

import type { Template } from '../../commands/verification/templates.ts'
import {
  type TemplatePatch,
  templateBounds,
  templateDefaults,
  templateKinds,
} from '../../domain/verification/templates.ts'
import type { CommandRow, Fields, Options } from '../connecting/commandRow.ts'
import { resourceArgument } from '../connecting/nameLookup.ts'
import { collectWords, wholeNumber } from '../terminal/describe.ts'
import type { CellColumn } from '../terminal/table.ts'

const path = '/v2/verification/management/templates'
const sample = 'template_01jc0t6fwwfgfsq1md24mhyztj'

const columns: readonly CellColumn<Template>[] = [
  { title: 'ID', cell: 'id' },
  { title: 'KIND', cell: 'kind' },
  { title: 'DIGITS', cell: 'code_size', align: 'right' },
  { title: 'MINUTES', cell: 'ttl_minutes', align: 'right' },
  { title: 'SUFFIX', cell: 'suffix', optional: true, widthMax: 48, narrow: 'wrap' },
  { title: 'NAME', cell: 'name', widthMax: 48, narrow: 'wrap' },
]

const template = { '<template>': resourceArgument({ noun: 'template', path }) }

function bounded(field: keyof typeof templateBounds, meaning: string) {
  const { min, max } = templateBounds[field]
  return { meaning: `${meaning}: ${min} to ${max}`, parse: wholeNumber(min, max) }
}

const options: Options = {
  '--kind <kind>': { meaning: 'the purpose of the messages', choices: templateKinds },
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

const withDefault = [...Object.keys(templateDefaults), 'suffix']

/** The same fields; null for those that `--default` names. */
const patch: Fields = Object.fromEntries(
  Object.entries(body).map(([field, source]) => [
    field,
    (given) => (given<string[]>('--default')?.includes(field) ? null : given<unknown>(source)),
  ]),
)

export const templateCommands: CommandRow = {
  usage: 'templates',
  summary: 'Read and write templates of verification messages.',
  commands: [
    {
      usage: 'list',
      summary: 'List all templates.',
      request: `GET ${path}`,
      list: { name: 'templates', columns, none: 'No templates.' },
    },
    {
      usage: 'get',
      arguments: template,
      summary: 'Print a template.',
      example: `vigil templates get ${sample}`,
      request: `GET ${path}/<template>`,
    },
    {
      usage: 'create <name>',
      summary: 'Create a template; options that are not given have their default.',
      example: 'vigil templates create "Ada Shop" --code-size 4 --suffix "Ada Shop"',
      options,
      request: `POST ${path}`,
      body: { ...body, name: '<name>' },
    },
    {
      usage: 'update',
      arguments: template,
      summary: 'Change a template; options that are not given change nothing.',
      example: `vigil templates update ${sample} --ttl 5 --default suffix`,
      options: {
        '--name <name>': 'the new name',
        ...options,
        '--default <field>': {
          meaning: 'reset it to its default; may be repeated',
          choices: withDefault,
          parse: collectWords(withDefault),
        },
      },
      request: `PATCH ${path}/<template>`,
      body: patch,
      empty: 'Say what to change, such as --ttl 5 or --default suffix.',
    },
    {
      usage: 'delete',
      arguments: template,
      summary: 'Delete a template.',
      example: `vigil templates delete ${sample}`,
      request: `DELETE ${path}/<template>`,
      done: { sentence: 'Deleted <template>.', json: { id: '<template>', deleted: true } },
    },
  ],
}
