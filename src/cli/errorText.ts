/** What a person, or a program, is told when a command fails. */

import { type CliError, cliError, isCliError } from './cliError.ts'
import { valueAt, withExcerpt } from './excerpt.ts'
import { type ExitCode, exitCodes } from './exitCode.ts'
import type { Paint } from './paint.ts'
import { printable, printableJson, printableLines } from './printable.ts'

/** Code, message, every detail with the place it speaks of, and the id of the request; with `json` one object `{error: {…}}`. */
export function errorText(thrown: unknown, json: boolean, paint: Paint): string {
  const error = expected(thrown)
  if (json) {
    return `${printableJson({ error: { ...error.facts, message: error.message } }, 2)}\n`
  }
  const { code, request_id } = error.facts
  const isAnswer = typeof request_id === 'string'
  const lines = [
    `${paint('red', 'vigil:')} ${isAnswer ? `${printable(String(code))}: ` : ''}${printableLines(error.message)}`,
    ...detailLines(error),
    ...(isAnswer ? [paint('dim', `  request_id: ${printable(request_id)}`)] : []),
  ]
  return `${lines.join('\n')}\n`
}

/** What the process ends with. */
export function exitCodeOf(thrown: unknown): ExitCode {
  return expected(thrown).exitCode
}

function expected(thrown: unknown): CliError {
  if (isCliError(thrown)) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  // a file that cannot be read or written says which in its message
  return thrown instanceof Error && 'syscall' in thrown
    ? cliError(message, exitCodes.usage, { code: 'file' })
    : cliError(message, exitCodes.broken, { code: 'unexpected' })
}

function detailLines({ facts: { details }, sent }: CliError): readonly string[] {
  if (!Array.isArray(details)) return []
  return details.map((detail: unknown) => {
    const { path, message } = detail as { readonly path?: unknown; readonly message?: unknown }
    const text = withExcerpt(String(message), valueAt(sent, String(path)))
    return `  ${printable(String(path))}: ${printableLines(text).replaceAll('\n', '\n    ')}`
  })
}
