/** Declares the type that defines a CLI command: arguments, options, request and output. */

import type { ExitCode } from '../terminal/cliError.ts'
import type { ItemColumns } from '../terminal/table.ts'
import type { Client, Method } from './client.ts'
import type { Caller } from './connection.ts'
import type { Invocation } from './invocation.ts'

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
 * A command, or a group of commands. It sends one request and prints the fields of its answer, unless `list`, `lines`, `fields` or
 * `confirmation` says otherwise. A command that does more has `run`.
 */
export interface CommandDefinition {
  /** Arguments with their description, after those of its usage. */
  readonly arguments?: Readonly<Record<string, string | ArgumentDefinition>>
  readonly summary: string
  /** One command per line, without the `$`. By default the command itself, or the example of the first command of a group. */
  readonly example?: string
  readonly options?: OptionDefinitions
  readonly commands?: Commands
  /** Throws `usage` for values that do not fit together, before anything is sent. */
  check?(given: ReadParameter, invocation: Invocation): void
  /** Whose token it needs, and the commands below it; the account's unless given. */
  readonly caller?: Caller
  /** Method and path, in which `<account>` is the argument of that name. */
  readonly request?: `${Method} /${string}`
  /** The path, sent with the operator's token, when `--account` is given. */
  readonly forAccount?: string
  readonly query?: FieldSources
  readonly body?: FieldSources
  /** Reads the body from a file, the terminal or standard input. */
  input?(invocation: Invocation, given: ReadParameter): Promise<object>
  /** The usage error of a command without any field for the body. */
  readonly emptyBodyError?: string
  readonly list?: ListOutput
  /** Formats the answer. */
  lines?(answer: object, invocation: Invocation, given: ReadParameter): readonly string[]
  /** The fields of the answer that are printed. */
  fields?(answer: object): object
  /** The sentence and the JSON printed instead of the answer. */
  readonly confirmation?: {
    readonly sentence: string | ((given: ReadParameter) => string)
    readonly json: FieldSources
  }
  /** The exit code after this answer; 0 by default. */
  exitCode?(answer: object, given: ReadParameter): ExitCode
  /** Runs a command that is more than one request. Its result is the exit code; undefined means 0. */
  run?(invocation: Invocation, given: ReadParameter): Promise<ExitCode | undefined>
}
