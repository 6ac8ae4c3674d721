/** Declares how a CLI command is defined, and runs it: fills its request, prints the answer. */

import type { Command } from 'commander'
import { type ExitCode, usageError } from '../terminal/cliError.ts'
import { escapeControls } from '../terminal/screen.ts'
import { formatFields, formatItemTable, type ItemColumns } from '../terminal/table.ts'
import type { CliContext } from '../terminal/terminal.ts'
import type { Client, JsonObject, Method } from './client.ts'
import { type Caller, encodePathSegment, type Invocation, openInvocation } from './invocation.ts'
import { formatMoreLine, readList, requireEntries } from './pagination.ts'

interface ArgumentDefinition {
  readonly description: string
  /** Parses a value, given the one before it of an option that may be repeated. Throws `InvalidArgumentError`. */
  readonly parse?: (given: string, before: never) => unknown
  /** Finds the id of what is named, which takes the place of the value; not called for an option that was not given. */
  readonly resolveId?: (client: Client, text: string | undefined) => Promise<string>
}

export interface OptionDefinition extends ArgumentDefinition {
  /** The only values that are accepted; with `parse` only shown. */
  readonly choices?: readonly string[]
  readonly default?: string | number
  readonly required?: boolean
}

/** Options by their flags, each with its description. */
export type OptionDefinitions = Readonly<Record<`--${string}`, string | OptionDefinition>>

export type ParameterName = `<${string}>` | `--${string}`

/** The value of `<argument>` or `--option`; undefined when it was not given. A time is one of ISO 8601. */
export type ReadParameter = <Value = string>(source: ParameterName) => Value | undefined

/** Fields of a request or of JSON output, each with the argument or option that it comes from. */
export interface FieldSources {
  readonly [field: string]:
    | ParameterName
    | true
    | FieldSources
    | ((given: ReadParameter) => unknown)
}

export interface ListOutput {
  /** The field of the answer that contains the entries. */
  readonly name: string
  /** Functions for columns that depend on all items, or on the time. */
  readonly columns?:
    | ItemColumns<never>
    | ((items: readonly never[], nowMs: number) => ItemColumns<never>)
  /** Formats the items otherwise than as a table of `columns`. */
  lines?(items: readonly object[], invocation: Invocation): readonly string[]
  /** The sentence printed for an empty list; by default it says that there are none of its name. */
  readonly emptyListMessage?: string
  /** False for a list that the API answers at once. Of another every page is read, or as many items as `--limit`. */
  readonly isPaged?: false
}

/** Commands by their usage: the name, and the arguments that need no explanation: `issue <account>`. */
export type Commands = Readonly<Record<string, CommandDefinition>>

/**
 * A command, or a group of commands. It sends one request and prints the fields of its answer, unless `list`, `lines`,
 * `fields` or `confirmation` says otherwise. A command that does more has `run`.
 */
export interface CommandDefinition {
  /** Arguments with their description, after those of its usage. */
  readonly arguments?: Readonly<Record<string, string | ArgumentDefinition>>
  readonly summary: string
  /**
   * One command per line, without the `$`, or only the options after the command with sample arguments. By default the
   * command itself, or the example of the first command of a group.
   */
  readonly example?: string
  readonly options?: OptionDefinitions
  readonly commands?: Commands
  /** Throws `usage` for values that do not fit together, before anything is sent. */
  check?(invocation: Invocation): void
  /** Whose token it needs, and the commands below it; the account's unless given. */
  readonly caller?: Caller
  /** Method and path, in which `<account>` is the argument of that name. */
  readonly request?: `${Method} /${string}`
  /** The path, sent with the operator's token, when `--account` is given. */
  readonly forAccount?: string
  readonly query?: FieldSources
  readonly body?: FieldSources
  /** Reads the body from a file, the terminal or standard input. */
  input?(invocation: Invocation): Promise<object>
  /** The usage error of a command without any field for the body. */
  readonly emptyBodyError?: string
  readonly list?: ListOutput
  /** Formats the answer. */
  lines?(answer: object, invocation: Invocation): readonly string[]
  fields?(answer: object): object
  /** The sentence and the JSON printed instead of the answer. */
  readonly confirmation?: {
    readonly sentence: string | ((given: ReadParameter) => string)
    readonly json: FieldSources
  }
  /** The exit code after this answer; 0 by default. */
  exitCode?(answer: object, given: ReadParameter): ExitCode
  /** Runs a command that is more than one request. Its result is the exit code; undefined means 0. */
  run?(invocation: Invocation): Promise<ExitCode | undefined>
}

/** Runs the command with the words that commander has parsed. Its result is the exit code; undefined means 0. */
export async function runCommand(
  context: CliContext,
  definition: CommandDefinition,
  command: Command,
): Promise<ExitCode | undefined> {
  const values = readValues(command, context.nowMs())
  const given = ((source: ParameterName) => values.get(source)) as ReadParameter
  const { request = 'GET /', forAccount, query = {}, list } = definition
  const isForAccount = forAccount !== undefined && given('--account') !== undefined
  const [method, ownPath = ''] = request.split(' ') as [Method, string?]
  const caller = isForAccount ? 'operator' : definition.caller
  const invocation = openInvocation(context, { given, flags: command.optsWithGlobals(), caller })
  const { client } = invocation
  definition.check?.(invocation)
  const input = await definition.input?.(invocation)
  refuseEmptyBody(definition, input, given)
  await resolveIds(definition, values, client)
  if (definition.run) return definition.run(invocation)
  const path = fillPath(isForAccount ? forAccount : ownPath, given)
  const asked = { path, query: fillFields(query, given) }
  if (list) {
    await printList(invocation, list, asked)
    return undefined
  }
  // filled again, with the ids of what was named
  const body = input ?? (definition.body && fillFields(definition.body, given))
  const answer = await client(method, path, { query: asked.query, body })
  printAnswer(invocation, definition, answer)
  return definition.exitCode?.(answer, given)
}

/** Throws mistakes in what is to be sent, before names are looked up. */
function refuseEmptyBody(
  { body = {}, emptyBodyError }: CommandDefinition,
  input: object | undefined,
  given: ReadParameter,
): void {
  const filled = input ?? fillFields(body, given)
  if (emptyBodyError !== undefined && isEmpty(filled)) throw usageError(emptyBodyError)
}

/** Replaces names by ids, where an argument or option may be either. */
async function resolveIds(
  { arguments: args = {}, options = {} }: CommandDefinition,
  values: Map<ParameterName, unknown>,
  client: Client,
): Promise<void> {
  for (const [name, value] of [...Object.entries(args), ...Object.entries(options)]) {
    if (typeof value === 'string' || !value.resolveId) continue
    const isOption = name.startsWith('--')
    const source = (isOption ? name.split(' ')[0] : `<${name.slice(1, -1)}>`) as ParameterName
    const text = values.get(source) as string | undefined
    if (text === undefined && isOption) continue
    values.set(source, await value.resolveId(client, text))
  }
}

interface ListRequest {
  readonly path: string
  readonly query: JsonObject
}

async function printList(
  invocation: Invocation,
  list: ListOutput,
  { path, query }: ListRequest,
): Promise<void> {
  const { client, given, print } = invocation
  const { name, isPaged = true } = list
  const limit = given<number>('--limit')
  const { items, hasMore } = isPaged
    ? await readList(client, { path, name, query, ...(limit && { limit }) })
    : { items: requireEntries(await client('GET', path, { query }), name), hasMore: false }
  print({ [name]: items, ...(limit && { more: hasMore }) }, () => [
    ...formatItems(list, items, invocation),
    ...(limit ? formatMoreLine(hasMore, limit) : []),
  ])
}

function formatItems(
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

function printAnswer(
  invocation: Invocation,
  { confirmation, lines, fields }: CommandDefinition,
  answer: JsonObject,
): void {
  const { given, print } = invocation
  if (confirmation) {
    const { sentence, json } = confirmation
    print(fillFields(json, given), () => [escapeControls(fillSentence(sentence, given))])
    return
  }
  print(
    answer,
    () => lines?.(answer, invocation) ?? formatFields({ ...(fields?.(answer) ?? answer) }),
  )
}

function fillSentence(
  sentence: NonNullable<CommandDefinition['confirmation']>['sentence'],
  given: ReadParameter,
): string {
  if (typeof sentence === 'function') return sentence(given)
  return sentence.replace(/<[^>]+>/g, (source) => String(given(source as ParameterName) ?? ''))
}

/** The value of each argument and option under its name, times in ISO 8601. */
function readValues(command: Command, nowMs: number): Map<ParameterName, unknown> {
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
function fillPath(path: string, given: ReadParameter): string {
  return path.replace(/\/<([^>]+)>/g, (_, name: string) => {
    const value = given(name.startsWith('--') ? (name as ParameterName) : `<${name}>`)
    return value === undefined ? '' : `/${encodePathSegment(value)}`
  })
}
