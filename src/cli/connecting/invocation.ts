/** Runs a command's handler with its flags, API client and output. */

import type { Command } from 'commander'
import { type ExitCode, exitCodes, usageError } from '../terminal/cliError.ts'
import { type Warning, warningTexts } from '../terminal/errorText.ts'
import { openScreen, type Paint, printableJson, type Screen } from '../terminal/screen.ts'
import type { CliContext } from '../terminal/terminal.ts'
import type { Client } from './client.ts'
import { type Caller, connect, type GlobalFlags } from './connection.ts'

export interface Invocation {
  readonly context: CliContext
  readonly flags: GlobalFlags
  readonly paint: Paint
  /** What tables are fitted to. */
  readonly screen: Screen
  /** Opens the API client; see `connect`. */
  readonly client: (caller?: Caller) => Promise<Client>
  /** Prints the value as JSON with `--json`, else these lines. */
  readonly print: (value: unknown, lines: () => readonly string[]) => void
  /** Prints warnings on stderr; not with `--json`, where the answer contains them. */
  readonly warn: (warnings: readonly Warning[]) => void
}

/** The context and the exit code of one run of the program. */
export interface Run {
  readonly context: CliContext
  exitCode: ExitCode
}

type Handler<Options> = (
  invocation: Invocation,
  options: Options,
  ...args: readonly string[]
) => Promise<ExitCode | undefined>

/** Wraps `handler` as a commander action. Its result is the exit code; `undefined` means 0. */
export function serve<Options = object>(run: Run, handler: Handler<Options>) {
  return async (...received: readonly unknown[]): Promise<void> => {
    const command = received.at(-1) as Command
    const invocation = openInvocation(run.context, command.optsWithGlobals())
    const args = command.processedArgs as readonly string[]
    run.exitCode =
      (await handler(invocation, command.opts<Options & object>(), ...args)) ?? exitCodes.done
  }
}

/** An invocation of these flags. */
function openInvocation(context: CliContext, flags: GlobalFlags): Invocation {
  const { stdout, stderr, environment } = context
  const screen = openScreen(stdout, environment, flags.json === true)
  return {
    context,
    flags,
    paint: screen.paint,
    screen,
    client: (caller = 'account') => connect(context, flags, caller),
    print: (value, lines) => {
      const text = flags.json ? printableJson(value, 2) : lines().join('\n')
      if (text !== '') stdout.write(`${text}\n`)
    },
    warn: (warnings) => {
      if (flags.json) return
      for (const line of warningTexts(warnings, screen.paint)) stderr.write(`vigil: ${line}\n`)
    },
  }
}

/** Encodes the text as one path segment. Throws `usage` for an empty text, `.` and `..`. */
export function segment(text: string): string {
  if (text !== '' && text !== '.' && text !== '..') return encodeURIComponent(text)
  throw usageError(`"${text}" is not an id.`)
}

/** Throws `usage` when the token is also to be read from the pipe that `what` is read from. */
export function assertStdinUsedOnce(
  { context: { stdin }, flags }: Pick<Invocation, 'context' | 'flags'>,
  what: string,
): void {
  if (flags.token !== '-' || stdin.isTty) return
  throw usageError(`Only one of token and ${what} can come from standard input.`)
}
