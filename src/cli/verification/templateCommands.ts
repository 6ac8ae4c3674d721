/** `vigil templates`: how the verifications of an account are sent. */

import { type Command, InvalidArgumentError, Option } from 'commander'
import {
  type TemplatePatch,
  templateBounds,
  templateDefaults,
  templateKinds,
} from '../../domain/templates.ts'
import type { TemplateView } from '../../service/verification/verificationPart.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { listAll } from '../connecting/listAll.ts'
import { usageError } from '../terminal/cliError.ts'
import { wholeNumber } from '../terminal/collect.ts'
import { describe } from '../terminal/describe.ts'
import { fieldLines } from '../terminal/fields.ts'
import { printable } from '../terminal/printable.ts'
import { templateId, templatesPath } from './templateId.ts'
import { templateTable } from './templatesView.ts'

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
  const templates = await listAll<TemplateView>(client, { path: templatesPath, name: 'templates' })
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
