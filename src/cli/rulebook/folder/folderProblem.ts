/** Locates problems in the files of a rulebook folder, formats them, and lists them in an error. */

import { type Document, isScalar, Scalar } from 'yaml'
import type { FailureDetail } from '../../../domain/failure.ts'
import { type CliError, usageError } from '../../terminal/cliError.ts'
import type { FolderChange } from './compareFolder.ts'
import { fileName, type ResourceFile } from './resourceFile.ts'

/** `path` is the file within the folder; what is wrong with the file as a whole has no position. */
export type FolderProblem = FailureDetail

/** Formats the problem like a compiler: `rules/a.yaml:3:7: …`. */
export function formatProblem(problem: FolderProblem): string {
  const { path, message } = appendPosition(problem)
  return `${path}: ${message}`
}

export function appendPosition({ path, line, column, message }: FolderProblem) {
  return { path: line === undefined ? path : `${path}:${line}:${column}`, message }
}

/** File texts by name, for the source excerpts below problems. */
export type FileTexts = Readonly<Record<string, string>>

/** The `usage` error with all problems as `details` and an optional `hint`. */
export function createFolderError(
  problems: readonly FolderProblem[],
  { texts = {}, hint }: { readonly texts?: FileTexts; readonly hint?: string } = {},
): CliError {
  const facts = { details: problems, ...(hint !== undefined && { hint }) }
  return Object.assign(usageError('The folder is not in order.', facts), { sent: texts })
}

/** Throws this error if there are problems. */
export function assertNoProblems(problems: readonly FolderProblem[], texts: FileTexts = {}): void {
  if (problems.length > 0) throw createFolderError(problems, { texts })
}

export function createProblemAt(
  file: ResourceFile,
  path: NodePath,
  message: string,
): FolderProblem {
  const position = findPosition(file.text, findNodeOffset(file.document, path))
  return { path: fileName(file), ...position, message }
}

type NodePath = readonly (string | number)[]

/** The offset of the value, else of its nearest existing parent. */
export function findNodeOffset(document: Document, path: NodePath): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true)
    const range = typeof node === 'object' && node !== null ? Reflect.get(node, 'range') : undefined
    if (Array.isArray(range)) return Number(range[0])
  }
  return 0
}

/** The line and the column, in characters, both from 1. */
export function findPosition(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: [...(before.at(-1) ?? '')].length + 1 }
}

/** Maps a problem that the service found to its position in the file; `field` is its path, empty for none. */
export function locateValidationError(
  change: FolderChange,
  field: string,
  complaint: FolderProblem,
): FolderProblem {
  const { file, name } = change
  const { message, line, column, length } = complaint
  if (!file || field === '') return { path: name, message }
  const path = parseFieldPath(field)
  const offset = findNodeOffset(file.document, path)
  if (line === undefined || column === undefined) {
    // at the place where it would be nothing says which field it is
    const said = file.document.hasIn(path) ? message : `${path.at(-1)}: ${message}`
    return { path: name, ...findPosition(file.text, offset), message: said }
  }
  const node: unknown = file.document.getIn(path, true)
  const inRule = isScalar(node)
    ? yamlScalarOffset(file.text, node, findOffset(String(node.value), line, column))
    : offset
  return {
    path: name,
    ...findPosition(file.text, inRule),
    ...(length !== undefined && { length }),
    // the message of a rule that does not compile begins with its position
    message: message.replace(/^.*?ERROR: <input>:\d+:\d+: /, ''),
  }
}

/** The offset of a line and a column, which counts characters, from 1. */
function findOffset(text: string, line: number, column: number): number {
  const lines = text.split('\n')
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0)
  const characters = [...(lines[line - 1] ?? '')]
  return before + characters.slice(0, column - 1).join('').length
}

/** A path of the API as one of a file, which names rules where the API has their ids. */
function parseFieldPath(field: string): NodePath {
  return field
    .split('.')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part === 'rule_id' ? 'rule' : part))
}

/**
 * Maps an offset in a value to its offset in the file; an offset beyond the value to its end. White space is not
 * compared, since folding adds and removes it. Falls back to the start of a value with escapes other than those of
 * quotes and backslashes.
 */
export function yamlScalarOffset(text: string, node: Scalar, wanted: number): number {
  const [start = 0, end = text.length] = node.range ?? []
  const value = String(node.value)
  const first = findContentStart(text, node, start)
  const written = text.slice(first, isQuoted(node) ? end - 1 : end)
  const characters = [...written.matchAll(chooseCharacterPattern(node))]
  if (characters.map(([one]) => one.at(-1)).join('') !== removeSpaces(value)) return start
  const before = removeSpaces(value.slice(0, wanted)).length
  return first + (characters[before]?.index ?? written.trimEnd().length)
}

/** After the quote that opens a value, or the line that opens a block. */
function findContentStart(text: string, node: Scalar, start: number): number {
  if (isQuoted(node)) return start + 1
  const newline = text.indexOf('\n', start)
  return isBlock(node) && newline >= 0 ? newline + 1 : start
}

/** One character as it is written in this style. */
function chooseCharacterPattern({ type }: Scalar): RegExp {
  if (type === Scalar.QUOTE_SINGLE) return /''|\S/g
  return type === Scalar.QUOTE_DOUBLE ? /\\[\s\S]|\S/g : /\S/g
}

function isBlock({ type }: Scalar): boolean {
  return type === Scalar.BLOCK_LITERAL || type === Scalar.BLOCK_FOLDED
}

function isQuoted({ type }: Scalar): boolean {
  return type === Scalar.QUOTE_DOUBLE || type === Scalar.QUOTE_SINGLE
}

function removeSpaces(text: string): string {
  return text.replace(/\s/g, '')
}
