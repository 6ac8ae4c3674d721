/** Runs a declared command: fills its request, sends it, prints the answer. */

import type { Command } from 'commander'
import { type ExitCode, usageError } from '../terminal/cliError.ts'
import { escapeControls } from '../terminal/screen.ts'
import { formatFields, formatItemTable } from '../terminal/table.ts'
import type { Client, JsonObject, Method } from './client.ts'
import type {
  CommandDefinition,
  FieldSources,
  ListOutput,
  ParameterName,
  ReadParameter,
} from './commandDefinition.ts'
import { encodePathSegment, type Invocation } from './invocation.ts'
import { moreLines, readList, requireEntries } from './pagination.ts'

/** Runs the command with the words that commander has parsed. Its result is the exit code; undefined means 0. */
export async function runCommandDefinition(
  invocation: Invocation,
  definition: CommandDefinition,
  command: Command,
): Promise<ExitCode | undefined> {
  const values = valuesOf(command, invocation.context.nowMs())
  const given = ((source: ParameterName) => values.get(source)) as ReadParameter
  definition.check?.(given, invocation)
  const { body: fields = {}, query = {}, list, emptyBodyError } = definition
  const input = await definition.input?.(invocation, given)
  // filled once before anything is sent, so that mistakes end the command, and once with the ids of what is named
  const draft = input ?? fillFields(fields, given)
  if (emptyBodyError !== undefined && isEmpty(draft)) throw usageError(emptyBodyError)
  const { method, path, caller } = targetOf(definition, given)
  await findIds(definition, values, () => invocation.getClient(caller))
  if (definition.run) return definition.run(invocation, given)
  const client = await invocation.getClient(caller)
  const request = { path: pathOf(path, given), query: fillFields(query, given) }
  if (list) {
    await printList(invocation, list, { client, ...request, limit: given('--limit') })
    return undefined
  }
  const body = input ?? (definition.body && fillFields(fields, given))
  const { body: answer } = await client(method, request.path, { query: request.query, body })
  printAnswer(invocation, definition, { answer, given })
  return definition.exitCode?.(answer, given)
}

function targetOf(
  { request = 'GET /', forAccount, caller }: CommandDefinition,
  given: ReadParameter,
) {
  const [method, path = ''] = request.split(' ') as [Method, string?]
  return forAccount === undefined || given('--account') === undefined
    ? { method, path, caller }
    : { method, path: forAccount, caller: 'operator' as const }
}

/** Replaces names by ids, where an argument or option may be either. */
async function findIds(
  { arguments: args = {}, options = {} }: CommandDefinition,
  values: Map<ParameterName, unknown>,
  open: () => Promise<Client>,
): Promise<void> {
  for (const [name, value] of [...Object.entries(args), ...Object.entries(options)]) {
    if (typeof value === 'string' || !value.resolveId) continue
    const isOption = name.startsWith('--')
    const source = (isOption ? name.split(' ')[0] : `<${name.slice(1, -1)}>`) as ParameterName
    const text = values.get(source) as string | undefined
    if (text === undefined && isOption) continue
    values.set(source, await value.resolveId(await open(), text))
  }
}

interface ListRequest {
  readonly client: Client
  readonly path: string
  readonly query: JsonObject
  /** `--limit`. */
  readonly limit: number | undefined
}

async function printList(
  invocation: Invocation,
  list: ListOutput,
  { client, path, query, limit }: ListRequest,
): Promise<void> {
  const { name, isPaged = true } = list
  const { items, hasMore } = isPaged
    ? await readList(client, { path, name, query, ...(limit && { limit }) })
    : { items: requireEntries((await client('GET', path, { query })).body, name), hasMore: false }
  invocation.print({ [name]: items, ...(limit && { more: hasMore }) }, () => [
    ...itemLines(list, items, invocation),
    ...(limit ? moreLines(hasMore, limit) : []),
  ])
}

function itemLines(
  list: ListOutput,
  items: readonly object[],
  invocation: Invocation,
): readonly string[] {
  const { name, columns = {}, emptyListMessage = `No ${name.replaceAll('_', ' ')}.` } = list
  if (list.lines) return list.lines(items, invocation)
  if (items.length === 0) return [emptyListMessage]
  const { context, screen } = invocation
  const used = typeof columns === 'function' ? columns(items as never, context.nowMs()) : columns
  return formatItemTable(used, items, screen)
}

interface Answered {
  readonly answer: JsonObject
  readonly given: ReadParameter
}

function printAnswer(
  invocation: Invocation,
  { confirmation, lines, fields }: CommandDefinition,
  { answer, given }: Answered,
): void {
  if (!confirmation) {
    invocation.print(
      answer,
      () => lines?.(answer, invocation, given) ?? formatFields({ ...(fields?.(answer) ?? answer) }),
    )
    return
  }
  invocation.print(fillFields(confirmation.json, given), () => [
    escapeControls(sentenceOf(confirmation, given)),
  ])
}

function sentenceOf(
  { sentence }: NonNullable<CommandDefinition['confirmation']>,
  given: ReadParameter,
): string {
  if (typeof sentence === 'function') return sentence(given)
  return sentence.replace(/<[^>]+>/g, (source) => String(given(source as ParameterName) ?? ''))
}

/** The value of each argument and option under its name, times in ISO 8601. */
function valuesOf(command: Command, nowMs: number): Map<ParameterName, unknown> {
  const args = command.registeredArguments.map((argument, index) => {
    const name: ParameterName = `<${argument.name()}>`
    return [name, command.processedArgs[index]] as const
  })
  const options = command.options.map((option) => {
    const value: unknown = command.getOptionValue(option.attributeName())
    return [
      option.long as ParameterName,
      typeof value === 'function' ? value(nowMs) : value,
    ] as const
  })
  return new Map([...args, ...options])
}

/** The fields with their values; without those that have none. */
export function fillFields(fields: FieldSources, given: ReadParameter): JsonObject {
  const values = Object.entries(fields).map(([name, field]) => {
    if (typeof field === 'string') return [name, given<unknown>(field)]
    if (typeof field === 'function') return [name, field(given)]
    if (field === true) return [name, true]
    const inner = fillFields(field, given)
    return [name, isEmpty(inner) ? undefined : inner]
  })
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

function isEmpty(body: object): boolean {
  return Object.keys(body).length === 0
}

/** The path with the values of its `<argument>` and `<--option>`; one that was not given is left out with its slash. */
function pathOf(path: string, given: ReadParameter): string {
  return path.replace(/\/<([^>]+)>/g, (_, name: string) => {
    const value = given(name.startsWith('--') ? (name as ParameterName) : `<${name}>`)
    return value === undefined ? '' : `/${encodePathSegment(value)}`
  })
}
