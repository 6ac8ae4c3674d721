/** Declares commands as rows, and runs them: reads the words, sends the request, prints the answer. */

import { Argument, type Command, Option } from 'commander'
import { type ExitCode, usageError } from '../terminal/cliError.ts'
import { describe, refuseWord } from '../terminal/describe.ts'
import { printable } from '../terminal/screen.ts'
import { type CellColumn, fieldLines, itemTable } from '../terminal/table.ts'
import type { Client } from './client.ts'
import type { Caller } from './connection.ts'
import { type Invocation, type Run, segment, serve } from './invocation.ts'
import { entriesOf, listAll, searchPages } from './pagination.ts'

/** Parses a value, given the one before it of an option that may be repeated. Throws `InvalidArgumentError`. */
type Parse = (given: string, before: never) => unknown

interface ArgumentRow {
  readonly meaning: string
  readonly parse?: Parse
  /** Finds the id of what a path names, when the argument may be a name. */
  readonly id?: (client: Client, text: string) => Promise<string>
}

interface OptionRow {
  readonly meaning: string
  readonly parse?: Parse
  /** The only values that are accepted; with `parse` only shown. */
  readonly choices?: readonly string[]
  readonly default?: string | number
  readonly required?: boolean
}

/** Options by their flags, each with its meaning. */
export type Options = Readonly<Record<`--${string}`, string | OptionRow>>

/** The value of `<argument>` or `--option`; undefined when it was not given. A time is one of ISO 8601. */
type Given = <Value = string>(source: Source) => Value | undefined
type Source = `<${string}>` | `--${string}`

/** Fields of a request or of JSON output, each with the argument or option that it comes from. */
export interface Fields {
  readonly [field: string]: Source | true | Fields | ((given: Given) => unknown)
}

/** Columns that depend on all items, or on the time. */
type Columns = (items: readonly never[], nowMs: number) => readonly CellColumn<never>[]

interface ListRow {
  /** The field of the answer that contains the entries. */
  readonly name: string
  readonly columns: readonly CellColumn<never>[] | Columns
  /** The sentence printed for an empty list. */
  readonly none?: string
  /** `all`: every page (the default). `limit`: as many as `--limit`, and whether there are more. `whole`: the API does not page it. */
  readonly pages?: 'all' | 'limit' | 'whole'
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * A command, or a group of commands. It sends one request and prints the fields of its answer, unless `list`, `lines`, `fields` or
 * `done` says otherwise. A command that does more has `run`.
 */
export interface CommandRow {
  /** Its name, and the arguments that need no explanation: `issue <account>`. */
  readonly usage: string
  /** Arguments with their meaning, after those of `usage`. */
  readonly arguments?: Readonly<Record<string, string | ArgumentRow>>
  readonly summary: string
  /** One command per line, without the `$`. By default the command itself, or the example of the first command of a group. */
  readonly example?: string
  readonly options?: Options
  readonly commands?: readonly CommandRow[]
  /** Whose token it needs; the account's unless given. */
  readonly caller?: Caller
  /** Method and path, in which `<account>` is the argument of that name. */
  readonly request?: `${Method} /${string}`
  /** The path, sent with the operator's token, when `--account` is given. */
  readonly forAccount?: string
  readonly query?: Fields
  readonly body?: Fields
  /** Reads the body from a file or standard input. */
  input?(invocation: Invocation, options: object): Promise<object>
  /** The usage error of a command without any field for the body. */
  readonly empty?: string
  readonly list?: ListRow
  /** Formats the answer. */
  lines?(answer: object, invocation: Invocation): readonly string[]
  /** The fields of the answer that are printed. */
  fields?(answer: object): object
  /** The sentence and the JSON printed instead of the answer. */
  readonly done?: { readonly sentence: string; readonly json: Fields }
  /** Runs a command that is more than one request. Its result is the exit code; undefined means 0. */
  run?(
    invocation: Invocation,
    options: object,
    ...args: readonly string[]
  ): Promise<ExitCode | undefined>
}

/** Adds the command and those below it to their parent. */
export function addCommand(parent: Command, row: CommandRow, run: Run): void {
  const command = describe(parent, { ...row, example: exampleOf(row, wordsOf(parent)) })
  for (const [name, given] of Object.entries(row.arguments ?? {})) {
    command.addArgument(argumentOf(name, given))
  }
  for (const [flags, given] of Object.entries(row.options ?? {})) {
    command.addOption(optionOf(flags, given))
  }
  for (const below of row.commands ?? []) addCommand(command, below, run)
  if (row.run === undefined && row.request === undefined) return
  const action = serve(run, (invocation, options, ...args) =>
    row.run ? row.run(invocation, options, ...args) : request(invocation, row, command),
  )
  if (!row.commands) {
    command.action(action)
    return
  }
  command.allowExcessArguments().action(async (...received: readonly unknown[]) => {
    const [word] = command.args
    if (word !== undefined) refuseWord(command, word)
    await action(...received)
  })
}

function exampleOf({ usage, example, commands: [first] = [] }: CommandRow, words: string): string {
  if (example !== undefined) return example
  const own = `${words} ${usage}`
  return first ? exampleOf(first, own) : own
}

/** The words of a command, from the program on. */
function wordsOf(command: Command): string {
  return command.parent ? `${wordsOf(command.parent)} ${command.name()}` : command.name()
}

function argumentOf(name: string, given: string | ArgumentRow): Argument {
  const { meaning, parse }: ArgumentRow = typeof given === 'string' ? { meaning: given } : given
  const argument = new Argument(name, meaning)
  return parse ? argument.argParser(parse as never) : argument
}

function optionOf(flags: string, given: string | OptionRow): Option {
  const row: OptionRow = typeof given === 'string' ? { meaning: given } : given
  const option = new Option(flags, row.meaning).makeOptionMandatory(row.required ?? false)
  if (row.choices) option.choices(row.choices)
  if (row.parse) option.argParser(row.parse as never)
  return row.default === undefined ? option : option.default(row.default)
}

/** Sends the request of the row, and prints the answer. */
async function request(
  invocation: Invocation,
  row: CommandRow,
  command: Command,
): Promise<undefined> {
  const values = valuesOf(command, invocation.context.nowMs())
  const given = ((source: Source) => values.get(source)) as Given
  const query = filled(row.query ?? {}, given) as Record<string, string>
  const body = row.input
    ? await row.input(invocation, command.opts())
    : row.body && filled(row.body, given)
  if (row.empty !== undefined && isEmpty(body)) throw usageError(row.empty)
  const { method, declared, caller } = targetOf(row, given)
  const client = await invocation.client(caller)
  await findIds(client, row, values)
  const path = pathOf(declared, given)
  if (row.list && row.list.pages !== 'whole') {
    const limit = row.list.pages === 'limit' ? given<number>('--limit') : undefined
    await printList(invocation, row.list, { client, path, query, limit })
    return
  }
  const { body: answer } = await client(method, path, { query, body })
  print(invocation, row, { answer, given })
}

function targetOf({ request = 'GET /', forAccount, caller }: CommandRow, given: Given) {
  const [method, declared = ''] = request.split(' ') as [Method, string?]
  return forAccount === undefined || given('--account') === undefined
    ? { method, declared, caller }
    : { method, declared: forAccount, caller: 'operator' as const }
}

/** Replaces names by ids, where the argument may be either. */
async function findIds(
  client: Client,
  row: CommandRow,
  values: Map<Source, unknown>,
): Promise<void> {
  for (const [name, argument] of Object.entries(row.arguments ?? {})) {
    if (typeof argument === 'string' || !argument.id) continue
    const source = name as Source
    values.set(source, await argument.id(client, String(values.get(source) ?? '')))
  }
}

interface Listed {
  readonly client: Client
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly limit: number | undefined
}

async function printList(
  invocation: Invocation,
  list: ListRow,
  { client, path, query, limit }: Listed,
): Promise<void> {
  const { name } = list
  if (limit === undefined) {
    const items = await listAll(client, { path, name, query })
    invocation.print({ [name]: items }, () => itemLines(list, items, invocation))
    return
  }
  const { items, hasMore } = await searchPages(client, { path, name, query, limit })
  invocation.print({ [name]: items, more: hasMore }, () => [
    ...itemLines(list, items, invocation),
    ...(hasMore ? [`There may be more than ${limit}: --limit N, --from, --to`] : []),
  ])
}

function itemLines(
  { columns, none }: ListRow,
  items: readonly object[],
  { context, screen }: Invocation,
): readonly string[] {
  if (items.length === 0 && none !== undefined) return [none]
  const used = typeof columns === 'function' ? columns(items as never, context.nowMs()) : columns
  return itemTable(used, items, screen)
}

interface Answered {
  readonly answer: Readonly<Record<string, unknown>>
  readonly given: Given
}

function print(invocation: Invocation, row: CommandRow, { answer, given }: Answered): void {
  const { done, list } = row
  if (done) {
    const sentence = printable(done.sentence.replace(/<[^>]+>/g, (name) => textOf(given, name)))
    invocation.print(filled(done.json, given), () => [sentence])
    return
  }
  invocation.print(answer, () => {
    if (list) return itemLines(list, entriesOf(answer, list.name), invocation)
    if (row.lines) return row.lines(answer, invocation)
    return fieldLines({ ...(row.fields?.(answer) ?? answer) })
  })
}

/** The value of each argument and option under its name, times in ISO 8601. */
function valuesOf(command: Command, nowMs: number): Map<Source, unknown> {
  const args = command.registeredArguments.map((argument, index) => {
    const name: Source = `<${argument.name()}>`
    return [name, command.processedArgs[index]] as const
  })
  const options = command.options.map((option) => {
    const value: unknown = command.getOptionValue(option.attributeName())
    return [option.long as Source, typeof value === 'function' ? value(nowMs) : value] as const
  })
  return new Map([...args, ...options])
}

/** The fields with their values; without those that have none. */
function filled(fields: Fields, given: Given): Readonly<Record<string, unknown>> {
  const values = Object.entries(fields).map(([name, field]) => {
    if (typeof field === 'string') return [name, given<unknown>(field)]
    if (typeof field === 'function') return [name, field(given)]
    if (field === true) return [name, true]
    const inner = filled(field, given)
    return [name, isEmpty(inner) ? undefined : inner]
  })
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

function isEmpty(body: object | undefined): boolean {
  return Object.keys(body ?? {}).length === 0
}

/** The path with the values of its `<argument>` and `<--option>`; one that was not given is left out with its slash. */
function pathOf(path: string, given: Given): string {
  return path.replace(/\/<([^>]+)>/g, (_, name: string) => {
    const value = given(name.startsWith('--') ? (name as Source) : `<${name}>`)
    return value === undefined ? '' : `/${segment(value)}`
  })
}

function textOf(given: Given, source: string): string {
  return String(given(source as Source) ?? '')
}
