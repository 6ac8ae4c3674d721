/** Why a command cannot go on, in words for the person at the terminal, and what the process ends with. */

import { type ExitCode, exitCodes } from './exitCode.ts'

export interface CliError extends Error {
  readonly exitCode: ExitCode
  /** What `--json` prints of it. */
  readonly facts: Readonly<Record<string, unknown>>
  /** What was sent and refused: details point into it. */
  readonly sent?: unknown
}

/** An error with a sentence, an exit code and what more a program may want to know of it. */
export function cliError(
  message: string,
  exitCode: ExitCode,
  facts: Readonly<Record<string, unknown>> = {},
): CliError {
  return Object.assign(new Error(message), { exitCode, facts })
}

/** The error of a command that cannot be carried out as it stands, with what more a program may want to know of it. */
export function usageError(
  message: string,
  facts: Readonly<Record<string, unknown>> = {},
): CliError {
  return cliError(message, exitCodes.usage, { code: 'usage', ...facts })
}

/** The error of what Ctrl-C has ended. */
export function interruptedError(): CliError {
  return cliError('Interrupted.', exitCodes.interrupted, { code: 'interrupted' })
}

/** Whether it was thrown by one of these functions. */
export function isCliError(thrown: unknown): thrown is CliError {
  return thrown instanceof Error && 'exitCode' in thrown && 'facts' in thrown
}
