/** Runs a declared command: fills its request, sends it, prints the answer. */

import type { Command } from 'commander'
import { type ExitCode, usageError } from '../terminal/cliError.ts'
import { escapeControls } from '../terminal/screen.ts'
import { fieldLines, itemTable } from '../terminal/table.ts'
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

/** Runs the row with the words that commander has parsed. Its result is the exit code; undefined means 0. */
export async function runCommandDefinition(
  invocation: Invocation,
  row: CommandDefinition,
  command: Command,
): Promise<ExitCode | undefined> {
  const values = valuesOf(command, invocation.context.nowMs())
  const given = ((source: ParameterName) => values.get(source)) as ReadParameter
  row.check?.(given, invocation)
  if (!row.run) return sendRequest(invocation, row, { values, given })
  await findIds(row, values, () => invocation.getClient(row.caller))
  return row.run(invocation, given)
}

interface Values {
  readonly values: Map<ParameterName, unknown>
  readonly given: ReadParameter
}

async function sendRequest(
  invocation: Invocation,
  row: CommandDefinition,
  { values, given }: Values,
): Promise<ExitCode | undefined> {
  const input = await row.input?.(invocation, given)
  // filled once before anything is sent, so that mistakes end the command, and once with the ids of what is named
  const draft = input ?? fillFields(row.body ?? {}, given)
  if (row.emptyBodyError !== undefined && isEmpty(draft)) throw usageError(row.emptyBodyError)
  const { method, path, caller } = targetOf(row, given)
  const client = await invocation.getClient(caller)
  await findIds(row, values, async () => client)
  const request = { path: pathOf(path, given), query: fillFields(row.query ?? {}, given) }
  if (row.list && row.list.pages !== 'whole') {
    const limit = row.list.pages === 'limit' ? given<number>('--limit') : undefined
    return printList(invocation, row.list, { client, ...request, ...(limit && { limit }) })
  }
  const body = input ?? (row.body && fillFields(row.body, given))
  const answered = await client(method, request.path, { query: request.query, body })
  print(invocation, row, { answer: answered.body, given })
  return row.exitCode?.(answered.body, given)
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
    const source = (
      name.startsWith('--') ? name.split(' ')[0] : `<${name.slice(1, -1)}>`
    ) as ParameterName
    const text = values.get(source) as string | undefined
    if (text === undefined && name.startsWith('--')) continue
    values.set(source, await value.resolveId(await open(), text))
  }
}

interface ListResult {
  readonly client: Client
  readonly path: string
  readonly query: JsonObject
  readonly limit?: number
}

async function printList(
  invocation: Invocation,
  list: ListOutput,
  { client, ...listed }: ListResult,
): Promise<undefined> {
  const { name } = list
  const { limit } = listed
  const { items, hasMore } = await readList(client, { ...listed, name })
  invocation.print({ [name]: items, ...(limit && { more: hasMore }) }, () => [
    ...itemLines(list, items, invocation),
    ...(limit ? moreLines(hasMore, limit) : []),
  ])
}

function itemLines(list: ListOutput, items: readonly object[], invocation: Invocation) {
  const { columns = [], emptyListMessage: none } = list
  if (list.lines) return list.lines(items, invocation)
  if (items.length === 0 && none !== undefined) return [none]
  const { context, screen } = invocation
  const used = typeof columns === 'function' ? columns(items as never, context.nowMs()) : columns
  return itemTable(used, items, screen)
}

interface PrintInput {
  readonly answer: JsonObject
  readonly given: ReadParameter
}

function print(
  invocation: Invocation,
  row: CommandDefinition,
  { answer, given }: PrintInput,
): void {
  const { confirmation: done, list } = row
  if (done) {
    invocation.print(fillFields(done.json, given), () => [escapeControls(sentenceOf(done, given))])
    return
  }
  if (list) {
    const items = requireEntries(answer, list.name)
    invocation.print({ [list.name]: items }, () => itemLines(list, items, invocation))
    return
  }
  invocation.print(
    answer,
    () =>
      row.lines?.(answer, invocation, given) ?? fieldLines({ ...(row.fields?.(answer) ?? answer) }),
  )
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
