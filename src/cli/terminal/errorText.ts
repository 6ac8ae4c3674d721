/** What a person, or a program, is told when a command fails. */

import { type CliError, cliError, isCliError } from './cliError.ts'
import { valueAt, withExcerpt } from './excerpt.ts'
import { type ExitCode, exitCodes } from './exitCode.ts'
import type { Paint } from './paint.ts'
import { printable, printableJson, printableLines } from './printable.ts'

const detailsShown = 50

/** Code, message, the first details, each with the place it speaks of, what to do next, and the id of the request; with `json` one object `{error: {…}}`. */
export function errorText(thrown: unknown, json: boolean, paint: Paint): string {
  const error = expected(thrown)
  if (json) {
    return `${printableJson({ error: { ...error.facts, message: error.message } }, 2)}\n`
  }
  const { code, request_id, hint } = error.facts
  const isAnswer = typeof request_id === 'string'
  const lines = [
    `${paint('red', 'vigil:')} ${isAnswer ? `${printable(String(code))}: ` : ''}${printableLines(error.message)}`,
    ...detailLines(error),
    ...(typeof hint === 'string' ? [`  ${printable(hint)}`] : []),
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
  const more = details.length - detailsShown
  return [
    ...details.slice(0, detailsShown).map((detail) => detailLine(detail as Detail, sent)),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]
}

interface Detail {
  readonly path?: unknown
  readonly line?: unknown
  readonly column?: unknown
  readonly message?: unknown
}

/** As compilers write it: `rules/a.yaml:3:7: …`, or without the numbers. */
function detailLine({ path, line, column, message }: Detail, sent: unknown): string {
  const text = withExcerpt(String(message), valueAt(sent, String(path)))
  const place = typeof line === 'number' ? `${path}:${line}:${column}` : String(path)
  return `  ${printable(place)}: ${printableLines(text).replaceAll('\n', '\n    ')}`
}
