/** Maps a validation error of the service to a file, line and column. */

import { isScalar, Scalar } from 'yaml'
import type { FolderChange } from './changes.ts'
import type { FolderProblem } from './folderProblem.ts'
import { findNodeOffset, positionAt } from './parseResource.ts'

/** A detail of a refusal; errors in a rule have a line and column in the rule's text. */
export interface ValidationDetail {
  readonly path: string
  readonly message: string
  readonly line?: number
  readonly column?: number
  readonly length?: number
}

/** Maps a complaint to its position in the file; `field` is its path in the saved resource, empty for none. */
export function locateValidationError(
  change: FolderChange,
  field: string,
  complaint: ValidationDetail,
): FolderProblem {
  const { file, name } = change
  const { message, line, column, length } = complaint
  if (!file || field === '') return { path: name, message }
  const path = pathOf(field)
  const offset = findNodeOffset(file.document, path)
  if (line === undefined || column === undefined) {
    // at the place where it would be nothing says which field it is
    const said = file.document.hasIn(path) ? message : `${path.at(-1)}: ${message}`
    return { path: name, ...positionAt(file.text, offset), message: said }
  }
  const node: unknown = file.document.getIn(path, true)
  const inRule = isScalar(node)
    ? yamlScalarOffset(file.text, node, offsetIn(String(node.value), { line, column }))
    : offset
  return {
    path: name,
    ...positionAt(file.text, inRule),
    ...(length !== undefined && { length }),
    // the message of a rule that does not compile begins with its position
    message: message.replace(/^.*?ERROR: <input>:\d+:\d+: /, ''),
  }
}

interface Position {
  readonly line: number
  readonly column: number
}

/** The offset of a line and a column, which counts characters, from 1. */
function offsetIn(text: string, { line, column }: Position): number {
  const lines = text.split('\n')
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0)
  const characters = [...(lines[line - 1] ?? '')]
  return before + characters.slice(0, column - 1).join('').length
}

/** A path of the API as one of a file, which names rules where the API has their ids. */
function pathOf(field: string): readonly (string | number)[] {
  return field
    .split('.')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part === 'rule_id' ? 'rule' : part))
}

/**
 * Maps an offset in a value to its offset in the file; an offset beyond the value to its end. White space is not compared, since folding
 * adds and removes it. Falls back to the start of a value with escapes other than those of quotes and backslashes.
 */
export function yamlScalarOffset(text: string, node: Scalar, wanted: number): number {
  const [start = 0, end = text.length] = node.range ?? []
  const value = String(node.value)
  const first = contentStart(text, node, start)
  const written = text.slice(first, isQuoted(node) ? end - 1 : end)
  const characters = [...written.matchAll(characterOf(node))]
  if (characters.map(([one]) => one.at(-1)).join('') !== withoutSpace(value)) return start
  const before = withoutSpace(value.slice(0, wanted)).length
  return first + (characters[before]?.index ?? written.trimEnd().length)
}

/** After the quote that opens a value, or the line that opens a block. */
function contentStart(text: string, node: Scalar, start: number): number {
  if (isQuoted(node)) return start + 1
  const newline = text.indexOf('\n', start)
  return isBlock(node) && newline >= 0 ? newline + 1 : start
}

/** One character as it is written in this style. */
function characterOf({ type }: Scalar): RegExp {
  if (type === Scalar.QUOTE_SINGLE) return /''|\S/g
  return type === Scalar.QUOTE_DOUBLE ? /\\[\s\S]|\S/g : /\S/g
}

function isBlock({ type }: Scalar): boolean {
  return type === Scalar.BLOCK_LITERAL || type === Scalar.BLOCK_FOLDED
}

function isQuoted({ type }: Scalar): boolean {
  return type === Scalar.QUOTE_DOUBLE || type === Scalar.QUOTE_SINGLE
}

function withoutSpace(text: string): string {
  return text.replace(/\s/g, '')
}
