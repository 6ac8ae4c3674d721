/** Formats errors and warnings as text with source excerpts or JSON; maps errors to exit codes. */

import widthOf from 'string-width'
import { explainFileError, isIoFault } from '../../domain/fileFaults.ts'
import { type CliError, createCliError, exitCodes, isCliError } from './cliError.ts'
import { escapeControls, escapeControlsInLines, type Paint, printableJson } from './screen.ts'

/** Characters of a line that are shown on either side of the start of a mistake. */
const contextCharacters = 50

const detailsShown = 50

/** Code, message, first details with positions, hint, request id; with `json` one object `{error: {…}}`. */
export function formatError(thrown: unknown, json: boolean, paint: Paint): string {
  const error = asCliError(thrown)
  if (json) {
    return `${printableJson({ error: { ...error.facts, message: error.message } }, 2)}\n`
  }
  const { code, request_id, hint } = error.facts
  const isAnswer = typeof request_id === 'string'
  const lines = [
    `${paint('red', 'vigil:')} ${isAnswer ? `${escapeControls(String(code))}: ` : ''}${escapeControlsInLines(error.message)}`,
    ...formatDetails(error),
    ...(typeof hint === 'string' ? [`  ${escapeControls(hint)}`] : []),
    ...(isAnswer ? [paint('dim', `  request_id: ${escapeControls(request_id)}`)] : []),
  ]
  return `${lines.join('\n')}\n`
}

export function asCliError(thrown: unknown): CliError {
  if (isCliError(thrown)) return thrown
  const message =
    explainFileError(thrown) ?? (thrown instanceof Error ? thrown.message : String(thrown))
  if (!(thrown instanceof Error && 'syscall' in thrown))
    return createCliError(message, exitCodes.internalError, { code: 'unexpected' })
  return createCliError(message, isIoFault(thrown) ? exitCodes.outputFailed : exitCodes.usage, {
    code: 'file',
  })
}

function formatDetails({ facts: { details }, sent }: CliError): readonly string[] {
  if (!Array.isArray(details)) return []
  const more = details.length - detailsShown
  return [
    ...details.slice(0, detailsShown).map((detail) => formatDetail(detail as Detail, sent)),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]
}

interface Detail {
  readonly path?: unknown
  readonly line?: unknown
  readonly column?: unknown
  readonly length?: unknown
  readonly message?: unknown
}

/** As compilers write it: `rules/a.yaml:3:7: …`, numbers where known; below it the line of what was sent. */
function formatDetail({ path, message, ...position }: Detail, sent: unknown): string {
  const { line, column, length = 1 } = position
  if (typeof line !== 'number' || typeof column !== 'number') {
    return `  ${escapeControls(String(path))}: ${indentLines(String(message))}`
  }
  // the message of a rule begins with its position, which is printed in front already
  const text = String(message).replace(/^.*?ERROR: <input>:\d+:\d+: /, '')
  const excerpt = formatExcerpt(findValueAtPath(sent, String(path)), {
    line,
    column,
    length: Number(length),
  })
  const lines = excerpt === undefined ? text : `${text}\n${excerpt}`
  return `  ${escapeControls(`${path}:${line}:${column}`)}: ${indentLines(lines)}`
}

function indentLines(text: string): string {
  return escapeControlsInLines(text).replaceAll('\n', '\n    ')
}

/** Lines and columns from 1, in characters. */
interface Position {
  readonly line: number
  readonly column: number
  readonly length: number
}

/** The source line of the position with a marker below it; undefined when there is no such line or column. */
export function formatExcerpt(
  text: unknown,
  { line, column, length }: Position,
): string | undefined {
  if (typeof text !== 'string') return undefined
  const characters = [...(text.split('\n')[line - 1] ?? '')]
  const first = column - 1
  if (line < 1 || first < 0 || first > characters.length) return undefined
  const start = Math.max(0, first - contextCharacters)
  const before = characters.slice(start, first)
  const after = characters.slice(first, first + contextCharacters)
  const marked = after.slice(0, Math.max(1, length)).join('')
  const mark = '^'.repeat(Math.max(1, widthOf(marked)))
  return `${before.join('')}${after.join('')}\n${before.map(replaceBySpaces).join('')}${mark}`
}

/** As wide as the character is shown. */
function replaceBySpaces(character: string): string {
  return character === '\t' ? '\t' : ' '.repeat(widthOf(character))
}

/** The value at a path such as `draft.recipes.0.name`, or under a key that contains dots; undefined without one. */
export function findValueAtPath(value: unknown, path: string): unknown {
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, path)) {
    return Reflect.get(value, path)
  }
  return path.split('.').reduce<unknown>((found, key) => {
    if (typeof found !== 'object' || found === null) return undefined
    return Object.hasOwn(found, key) ? Reflect.get(found, key) : undefined
  }, value)
}

/** One warning of an answer. */
export interface Warning {
  readonly path?: unknown
  readonly message?: unknown
}

/** The warnings of an answer; empty when it has none. */
export function readWarnings(body: { readonly warnings?: unknown }): readonly Warning[] {
  return Array.isArray(body.warnings) ? (body.warnings as readonly Warning[]) : []
}

/** A line per warning: its path and message. */
export function formatWarnings(warnings: readonly Warning[], paint: Paint): readonly string[] {
  return warnings.map(
    ({ path, message }) =>
      `${paint('yellow', 'warning:')} ${escapeControls(String(path))}: ${escapeControls(String(message))}`,
  )
}
