/** Adds `vigil templates`: manages the message templates of an account. */

import { type Command, InvalidArgumentError, Option } from 'commander'
import { idPrefixes, isId } from '../../domain/ids.ts'
import { nearest } from '../../domain/text/nearest.ts'
import {
  type Template,
  type TemplatePatch,
  templateBounds,
  templateDefaults,
  templateKinds,
} from '../../domain/verification/templates.ts'
import type { Client } from '../connecting/client.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { listAll } from '../connecting/search.ts'
import { cliError, exitCodes, usageError } from '../terminal/cliError.ts'
import { describe, wholeNumber } from '../terminal/describe.ts'
import { printable, type Screen } from '../terminal/screen.ts'
import { type Column, fieldLines, table } from '../terminal/table.ts'

const columns: readonly TemplateColumn[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'KIND', cell: ({ kind }) => kind },
  { title: 'DIGITS', align: 'right', cell: ({ code_size }) => String(code_size) },
  { title: 'MINUTES', align: 'right', cell: ({ ttl_minutes }) => String(ttl_minutes) },
  { title: 'SUFFIX', widthMax: 48, narrow: 'wrap', cell: ({ suffix = '' }) => suffix },
  { title: 'NAME', widthMax: 48, narrow: 'wrap', cell: ({ name }) => name },
]

const templatesPath = '/v2/verification/management/templates'

/** Ids that are told of a name that several have. */
const idsTold = 10

const sample = 'template_01jc0t6fwwfgfsq1md24mhyztj'
const taken = { '<template>': 'its id or name' }

/** Adds `templates`. */
export function addTemplateCommands(program: Command, run: Run): void {
  const templates = describe(program, {
    usage: 'templates',
    summary: 'Read and write templates of verification messages.',
    example: 'vigil templates list',
  })
  describe(templates, {
    usage: 'list',
    summary: 'List all templates.',
    example: 'vigil templates list',
  }).action(serve(run, listTemplates))
  describe(templates, {
    usage: 'get',
    takes: taken,
    summary: 'Print a template.',
    example: `vigil templates get ${sample}`,
  }).action(serve(run, getTemplate))
  const create = describe(templates, {
    usage: 'create <name>',
    summary: 'Create a template; what is not given has its default.',
    example: 'vigil templates create "Ada Shop" --code-size 4 --suffix "Ada Shop"',
  })
  withFields(create).action(serve<TemplateOptions>(run, createTemplate))
  const update = describe(templates, {
    usage: 'update',
    takes: taken,
    summary: 'Change a template; what is not given stays as it is.',
    example: `vigil templates update ${sample} --ttl 5 --default suffix`,
  }).option('--name <name>', 'another name')
  withFields(update)
    .addOption(
      new Option('--default <field>', 'back to its default; may be repeated')
        .choices([...Object.keys(templateDefaults), 'suffix'])
        .argParser(collectDefaults),
    )
    .action(serve<TemplateOptions>(run, updateTemplate))
  describe(templates, {
    usage: 'delete',
    takes: taken,
    summary: 'Delete a template.',
    example: `vigil templates delete ${sample}`,
  }).action(serve(run, deleteTemplate))
}

interface TemplateOptions {
  readonly name?: string
  readonly kind?: string
  readonly codeSize?: number
  readonly ttl?: number
  readonly retries?: number
  readonly retryDelay?: number
  readonly perNumber?: number
  readonly window?: number
  readonly suffix?: string
  readonly default?: readonly string[]
}

function withFields(command: Command): Command {
  const number = (flags: string, meaning: string, field: keyof typeof templateBounds) => {
    const { min, max } = templateBounds[field]
    command.option(flags, `${meaning}: ${min} to ${max}`, wholeNumber(min, max))
  }
  command.addOption(
    new Option('--kind <kind>', 'what the messages are made for').choices(templateKinds),
  )
  number('--code-size <n>', 'digits of a code', 'code_size')
  number('--ttl <minutes>', 'how long a code is valid', 'ttl_minutes')
  number('--retries <n>', 'how often a code may be sent again', 'max_retries')
  number('--retry-delay <seconds>', 'how long after the one before', 'retry_delay_seconds')
  number('--per-number <n>', 'codes of a number within the window', 'per_phone_number_limit')
  number('--window <hours>', 'how long the window is', 'sliding_window_hours')
  return command.option('--suffix <text>', 'at the end of a message')
}

const defaultable: readonly string[] = [...Object.keys(templateDefaults), 'suffix']

function collectDefaults(given: string, before: readonly string[] = []): readonly string[] {
  if (!defaultable.includes(given)) {
    throw new InvalidArgumentError(`Must be of: ${defaultable.join(', ')}.`)
  }
  return [...before, given]
}

function fieldsOf(options: TemplateOptions): object {
  const { name, kind, suffix, default: defaults = [] } = options
  return {
    name,
    kind,
    code_size: options.codeSize,
    ttl_minutes: options.ttl,
    max_retries: options.retries,
    retry_delay_seconds: options.retryDelay,
    per_phone_number_limit: options.perNumber,
    sliding_window_hours: options.window,
    suffix,
    ...Object.fromEntries(defaults.map((field) => [field, null])),
  } satisfies Record<keyof TemplatePatch, unknown>
}

async function listTemplates(invocation: Invocation): Promise<undefined> {
  const client = await invocation.client()
  const templates = await listAll<Template>(client, { path: templatesPath, name: 'templates' })
  invocation.print({ templates }, () => templateTable(templates, invocation.screen))
}

async function getTemplate(invocation: Invocation, _: object, named = ''): Promise<undefined> {
  const client = await invocation.client()
  const id = await templateId(client, named)
  const { body } = await client('GET', `${templatesPath}/${id}`)
  invocation.print(body, () => fieldLines(body))
}

async function createTemplate(
  invocation: Invocation,
  options: TemplateOptions,
  name = '',
): Promise<undefined> {
  const client = await invocation.client()
  const { body } = await client('POST', templatesPath, { body: fieldsOf({ ...options, name }) })
  invocation.print(body, () => fieldLines(body))
}

async function updateTemplate(
  invocation: Invocation,
  options: TemplateOptions,
  named = '',
): Promise<undefined> {
  const fields = fieldsOf(options)
  if (Object.values(fields).every((value) => value === undefined)) {
    throw usageError('Say what to change, such as --ttl 5 or --default suffix.')
  }
  const client = await invocation.client()
  const id = await templateId(client, named)
  const { body } = await client('PATCH', `${templatesPath}/${id}`, { body: fields })
  invocation.print(body, () => fieldLines(body))
}

async function deleteTemplate(invocation: Invocation, _: object, named = ''): Promise<undefined> {
  const client = await invocation.client()
  const id = await templateId(client, named)
  await client('DELETE', `${templatesPath}/${id}`)
  invocation.print({ id, deleted: true }, () => [`Deleted ${printable(id)}.`])
}

/** The id: as given, or of the only one with this name. Throws `usage` for a name that several have, `not_found` for one that none has. */
async function templateId(client: Client, text: string): Promise<string> {
  if (isId(idPrefixes.template, text)) return text
  if (text === '') throw usageError('Give the id of a template (template_…), or its name.')
  const all = await listAll<Template>(client, { path: templatesPath, name: 'templates' })
  const found = all.filter(({ name }) => name.normalize('NFC') === text.normalize('NFC'))
  const [first] = found
  if (!first) throw unknownName(all, text)
  if (found.length === 1) return first.id
  const ids = found.map(({ id }) => id)
  const told = ids.slice(0, idsTold).join(', ') + (ids.length > idsTold ? ', …' : '')
  const message = `${ids.length} templates are called "${text}"; give the id: ${told}`
  throw usageError(message, { code: 'ambiguous_name', ids })
}

function unknownName(all: readonly Template[], text: string): Error {
  const names = all.map(({ name }) => name)
  const meant = nearest(text, names)
  const guess = meant === undefined ? '' : ` Did you mean "${meant}"?`
  return cliError(`There is no template called "${text}".${guess}`, exitCodes.refused, {
    code: 'not_found',
    hint: 'See: vigil templates list',
  })
}

interface TemplateColumn extends Column {
  readonly cell: (template: Template) => string
}

/** A line for each of them; a column that none of them has is left out. */
function templateTable(templates: readonly Template[], screen: Screen): readonly string[] {
  if (templates.length === 0) return ['No templates.']
  const used = columns.filter(({ cell }) => templates.some((one) => cell(one) !== ''))
  const rows = templates.map((one) => used.map(({ cell }) => cell(one)))
  return table(used, rows, screen)
}
