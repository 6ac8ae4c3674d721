/** Opens an invocation: flags, API client and output of one run of a command. */

import { usageError } from '../terminal/cliError.ts'
import { formatWarnings, type Warning } from '../terminal/errorText.ts'
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
  /** The API client, opened by the first call; see `connect`. */
  readonly getClient: (caller?: Caller) => Promise<Client>
  /** Prints the value as JSON with `--json`, else these lines. */
  readonly print: (value: unknown, lines: () => readonly string[]) => void
  /** Prints warnings on stderr; not with `--json`, where the answer contains them. */
  readonly warn: (warnings: readonly Warning[]) => void
}

/** An invocation with these flags. */
export function openInvocation(context: CliContext, flags: GlobalFlags): Invocation {
  const { stdout, stderr, environment } = context
  const screen = openScreen(stdout, environment, flags.json === true)
  let client: Promise<Client> | undefined
  return {
    context,
    flags,
    paint: screen.paint,
    screen,
    getClient: (caller = 'account') => {
      client ??= connect(context, flags, caller)
      return client
    },
    print: (value, lines) => {
      const text = flags.json ? printableJson(value, 2) : lines().join('\n')
      if (text !== '') stdout.write(`${text}\n`)
    },
    warn: (warnings) => {
      if (flags.json) return
      for (const line of formatWarnings(warnings, screen.paint)) stderr.write(`vigil: ${line}\n`)
    },
  }
}

/** Encodes an id as one segment of a path. Throws `usage` for an empty text, `.` and `..`. */
export function encodePathSegment(id: string): string {
  if (id !== '' && id !== '.' && id !== '..') return encodeURIComponent(id)
  throw usageError(`"${id}" is not an id.`)
}

/** Throws `usage` when the token is also to be read from the pipe that `what` is read from. */
export function assertStdinUsedOnce(
  { context: { stdin }, flags }: Pick<Invocation, 'context' | 'flags'>,
  what: string,
): void {
  if (flags.token !== '-' || stdin.isTty) return
  throw usageError(`Only one of token and ${what} can come from standard input.`)
}
