/** Maps a validation error of the service to a file, line and column. */

import { isScalar, Scalar } from 'yaml'
import type { Change } from './changes.ts'
import { offsetOf } from './parseResource.ts'
import type { FolderProblem } from './problem.ts'
import type { ResourceFile } from './resourceFile.ts'

const blocks: ReadonlySet<string | undefined> = new Set([Scalar.BLOCK_LITERAL, Scalar.BLOCK_FOLDED])
const white = /\s/

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  _: '\u00a0',
  '\n': '',
}

/** A detail of a refusal; errors in a rule have a line and column in the rule's text. */
export interface Complaint {
  readonly path: string
  readonly message: string
  readonly line?: number
  readonly column?: number
  readonly length?: number
}

/** What the message of a rule that does not compile begins with: the place, which is said in its own way. */
const placeInRule = /^.*?ERROR: <input>:\d+:\d+: /

/** Maps a complaint to its position in the file; `field` is its path in the saved resource, empty for none. */
export function located(change: Change, field: string, complaint: Complaint): FolderProblem {
  const { file, name } = change
  const { message, length } = complaint
  if (!file || field === '') return { path: name, message }
  const spot = spotOf(complaint)
  const offset = spot ? offsetInRule(file, field, spot) : offsetOf(file.document, pathOf(field))
  return {
    path: name,
    ...placeOf(file.text, offset),
    ...(spot && length !== undefined && { length }),
    message: spot ? message.replace(placeInRule, '') : message,
  }
}

interface Spot {
  readonly line: number
  readonly column: number
}

function spotOf({ line, column }: Complaint): Spot | undefined {
  return line === undefined || column === undefined ? undefined : { line, column }
}

function offsetInRule(file: ResourceFile, field: string, spot: Spot): number {
  const node: unknown = file.document.getIn(pathOf(field), true)
  if (!isScalar(node)) return offsetOf(file.document, pathOf(field))
  return scalarOffset(file.text, node, offsetIn(String(node.value), spot))
}

/** Of a line and a column, which counts characters, from 1. */
function offsetIn(text: string, { line, column }: Spot): number {
  const lines = text.split('\n')
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0)
  const characters = [...(lines[line - 1] ?? '')]
  return before + characters.slice(0, column - 1).join('').length
}

/** The line and the column, in characters, both from 1. */
function placeOf(text: string, offset: number): Spot {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: [...(before.at(-1) ?? '')].length + 1 }
}

/** A path of the API as one of a file, which names rules where the API has their ids. */
function pathOf(field: string): readonly (string | number)[] {
  return field
    .split('.')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part === 'rule_id' ? 'rule' : part))
}

/**
 * Maps an offset in a value to its offset in the file; an offset beyond the value to its end. White space is skipped on both sides,
 * since folding adds and removes it. Falls back to the start of the value when the two cannot be matched.
 */
export function scalarOffset(text: string, node: Scalar, wanted: number): number {
  const [start = 0, end = text.length] = node.range ?? []
  const value = String(node.value)
  let at = blocks.has(node.type) ? bodyStart(text, start) : start
  let last = at
  for (let index = 0; index < value.length; index += 1) {
    const character = value.charAt(index)
    if (white.test(character)) continue
    const found = find(text, { at, end, node }, character)
    if (!found) return start
    last = found.at + found.length
    at = last
    if (index >= wanted) return found.at
  }
  return last
}

/** Behind the line that opens a block. */
function bodyStart(text: string, start: number): number {
  const newline = text.indexOf('\n', start)
  return newline < 0 ? start : newline + 1
}

interface Search {
  readonly at: number
  readonly end: number
  readonly node: Scalar
}

interface Found {
  readonly at: number
  readonly length: number
}

/** The next place at which the character is written; undefined when something else is. */
function find(text: string, { at, end, node }: Search, character: string): Found | undefined {
  let place = at
  // the quote that opens a value is none of its characters
  if (node.range?.[0] === place && isQuoted(node)) place += 1
  while (place < end) {
    const written = writtenAt(text, place, node)
    if (written.character === character) return { at: place, length: written.length }
    if (!white.test(written.character) && written.character !== '') return undefined
    place += written.length
  }
  return undefined
}

function isQuoted({ type }: Scalar): boolean {
  return type === Scalar.QUOTE_DOUBLE || type === Scalar.QUOTE_SINGLE
}

/** One character of the value, as many of the text as it takes; empty for an escape that stands for none. */
function writtenAt(text: string, at: number, { type }: Scalar) {
  const own = text.charAt(at)
  if (type === Scalar.QUOTE_SINGLE && own === "'" && text.charAt(at + 1) === "'") {
    return { character: own, length: 2 }
  }
  if (type !== Scalar.QUOTE_DOUBLE || own !== '\\') return { character: own, length: 1 }
  const [written = own, two, four] =
    /^\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|[\s\S])/i.exec(text.slice(at, at + 6)) ?? []
  const digits = two ?? four
  const character = digits === undefined ? named(written) : codeUnit(digits)
  return { character, length: written.length }
}

function named(written: string): string {
  const letter = written.slice(1)
  return escapes[letter] ?? letter
}

function codeUnit(digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16))
}
