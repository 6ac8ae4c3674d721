/** Where in the text of a YAML file a character of one of its values stands, however the value is written. */

import { Scalar } from 'yaml'

const blocks: ReadonlySet<string | undefined> = new Set([Scalar.BLOCK_LITERAL, Scalar.BLOCK_FOLDED])
const white = /\s/

/**
 * The offset in the file of what stands at this offset of the value; of its end for one beyond it. White space comes and goes as lines
 * are folded and is passed over on both sides. The beginning of the value where the two cannot be brought together.
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

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  _: '\u00a0',
  '\n': '',
}

function named(written: string): string {
  const letter = written.slice(1)
  return escapes[letter] ?? letter
}

function codeUnit(digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16))
}
