/** Declares the row that describes a command: arguments, options, request and output. */

import type { ExitCode } from '../terminal/cliError.ts'
import type { CellColumn } from '../terminal/table.ts'
import type { Client, Method } from './client.ts'
import type { Caller } from './connection.ts'
import type { Invocation } from './invocation.ts'

export interface ValueRow {
  readonly meaning: string
  /** Parses a value, given the one before it of an option that may be repeated. Throws `InvalidArgumentError`. */
  readonly parse?: (given: string, before: never) => unknown
  /** Finds the id of what is named, which takes the place of the value; not called for an option that was not given. */
  readonly id?: (client: Client, text: string | undefined) => Promise<string>
}

export interface OptionRow extends ValueRow {
  /** The only values that are accepted; with `parse` only shown. */
  readonly choices?: readonly string[]
  readonly default?: string | number
  readonly required?: boolean
}

/** Options by their flags, each with its meaning. */
export type Options = Readonly<Record<`--${string}`, string | OptionRow>>

export type InputSource = `<${string}>` | `--${string}`

/** The value of `<argument>` or `--option`; undefined when it was not given. A time is one of ISO 8601. */
export type ReadInput = <Value = string>(source: InputSource) => Value | undefined

/** Fields of a request or of JSON output, each with the argument or option that it comes from. */
export interface FieldSources {
  readonly [field: string]: InputSource | true | FieldSources | ((given: ReadInput) => unknown)
}

export interface ListRow {
  /** The field of the answer that contains the entries. */
  readonly name: string
  /** Functions for columns that depend on all items, or on the time. */
  readonly columns?:
    | readonly CellColumn<never>[]
    | ((items: readonly never[], nowMs: number) => readonly CellColumn<never>[])
  /** Formats the items otherwise than as a table of `columns`. */
  lines?(items: readonly object[], invocation: Invocation): readonly string[]
  /** The sentence printed for an empty list. */
  readonly none?: string
  /** `all`: every page (the default). `limit`: as many as `--limit`, and whether there are more. `whole`: the API does not page it. */
  readonly pages?: 'all' | 'limit' | 'whole'
}

/**
 * A command, or a group of commands. It sends one request and prints the fields of its answer, unless `list`, `lines`, `fields` or
 * `done` says otherwise. A command that does more has `run`.
 */
export interface CommandRow {
  /** Its name, and the arguments that need no explanation: `issue <account>`. */
  readonly usage: string
  /** Arguments with their meaning, after those of `usage`. */
  readonly arguments?: Readonly<Record<string, string | ValueRow>>
  readonly summary: string
  /** One command per line, without the `$`. By default the command itself, or the example of the first command of a group. */
  readonly example?: string
  readonly options?: Options
  readonly commands?: readonly CommandRow[]
  /** Throws `usage` for values that do not fit together, before anything is sent. */
  check?(given: ReadInput, invocation: Invocation): void
  /** Whose token it needs, and the commands below it; the account's unless given. */
  readonly caller?: Caller
  /** Method and path, in which `<account>` is the argument of that name. */
  readonly request?: `${Method} /${string}`
  /** The path, sent with the operator's token, when `--account` is given. */
  readonly forAccount?: string
  readonly query?: FieldSources
  readonly body?: FieldSources
  /** Reads the body from a file, the terminal or standard input. */
  input?(invocation: Invocation, given: ReadInput): Promise<object>
  /** The usage error of a command without any field for the body. */
  readonly empty?: string
  readonly list?: ListRow
  /** Formats the answer. */
  lines?(answer: object, invocation: Invocation, given: ReadInput): readonly string[]
  /** The fields of the answer that are printed. */
  fields?(answer: object): object
  /** The sentence and the JSON printed instead of the answer. */
  readonly done?: {
    readonly sentence: string | ((given: ReadInput) => string)
    readonly json: FieldSources
  }
  /** The exit code after this answer; 0 by default. */
  exitCode?(answer: object, given: ReadInput): ExitCode
  /** Runs a command that is more than one request. Its result is the exit code; undefined means 0. */
  run?(invocation: Invocation, given: ReadInput): Promise<ExitCode | undefined>
}
