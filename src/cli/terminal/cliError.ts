/** Declares exit codes and the errors that end a command with a message. */

import { describeFileFault, findFileFault } from '../../domain/fileFaults.ts'

export const exitCodes = {
  done: 0,
  /** The service refused (4xx). */
  refused: 1,
  /**
   * `diff`, `push --dry-run` or `replay --all`: something differs. With the first two what the service refuses ends
   * with `usage`.
   */
  foundDifferences: 1,
  /** Command, profile or folder are not in order; nothing was asked of the service, or nothing changed. */
  usage: 2,
  /** The service could not be reached, failed (5xx), or what answered is no Vigil. */
  unreachable: 3,
  /** `replay` of one evaluation, or `recipes compare --exit-code`, found differences. */
  verdictsDiffer: 4,
  /** `eval` or `flows test`, with `--exit-code`, was answered FLAG. */
  flagged: 10,
  /** A mistake in the command line itself. */
  internalError: 70,
  /** Standard output or a file could not be written: the disk is full, or has failed (`EX_IOERR`). */
  outputFailed: 74,
  /** Interrupted by Ctrl-C before the work was done. */
  interrupted: 130,
} as const

export interface CliError extends Error {
  readonly exitCode: ExitCode
  /** What `--json` prints of it. */
  readonly facts: Readonly<Record<string, unknown>>
  /** What was sent and refused: details point into it. */
  readonly sent?: unknown
}

/** Creates an error with a message, an exit code and facts for `--json`. */
export function createCliError(
  message: string,
  exitCode: ExitCode,
  facts: Readonly<Record<string, unknown>> = {},
): CliError {
  return Object.assign(new Error(message), { exitCode, facts })
}

/** Creates the error of an invalid command (exit code 2), with facts for `--json`. */
export function usageError(
  message: string,
  facts: Readonly<Record<string, unknown>> = {},
): CliError {
  return createCliError(message, exitCodes.usage, { code: 'usage', ...facts })
}

/** Creates the error of a command that was interrupted by Ctrl-C. */
export function interruptedError(): CliError {
  return createCliError('Interrupted.', exitCodes.interrupted, { code: 'interrupted' })
}

/** The error of a standard output that cannot be written. */
export function createOutputError(cause: unknown): CliError {
  const fault = findFileFault(cause)
  const reason = fault ? describeFileFault(fault) : String(cause)
  const message = `Standard output cannot be written: ${reason}.`
  return createCliError(message, exitCodes.outputFailed, { code: 'output' })
}

/** Whether it was thrown by one of these functions. */
export function isCliError(thrown: unknown): thrown is CliError {
  return thrown instanceof Error && 'exitCode' in thrown && 'facts' in thrown
}

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
