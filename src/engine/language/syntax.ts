/** Declares the syntax tree of a rule's text, and problems at positions in that text. */

import type { Position } from './expression.ts'

/** A range of a rule's text within one line. */
export interface Spot {
  readonly at: Position
  /** In characters as people count them, at least 1. */
  readonly length: number
}

export interface Problem {
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
  /** Characters of the problem, at least 1. */
  readonly length: number
  /** In the form of cel-go: `ERROR: <input>:1:1: undeclared reference to 'signal.foo'`. */
  readonly message: string
}

/** The problem of a spot. */
export function problemAt({ at: [line, column], length }: Spot, text: string): Problem {
  return { line, column, length, message: `ERROR: <input>:${line}:${column}: ${text}` }
}

export type Syntax = Spot &
  (
    | {
        readonly kind: 'literal'
        readonly type: 'bool' | 'double' | 'string'
        readonly value: string | number | boolean
      }
    /** As written; the check tests its size together with a minus before it. */
    | { readonly kind: 'integer'; readonly value: bigint }
    /** Syntax of CEL that rules do not have: null, bytes, unsigned integers, maps. */
    | { readonly kind: 'foreign'; readonly what: string }
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'member'; readonly of: Syntax; readonly field: string }
    | { readonly kind: 'index'; readonly of: Syntax; readonly index: Syntax }
    | { readonly kind: 'list'; readonly items: readonly Syntax[] }
    | { readonly kind: 'operator'; readonly symbol: string; readonly args: readonly Syntax[] }
    /** A function; with `receiver`, its first argument is written before the dot. */
    | {
        readonly kind: 'function'
        readonly name: string
        /** The position of its name. */
        readonly named: Spot
        readonly receiver: boolean
        readonly args: readonly Syntax[]
      }
  )

/** The spot from an offset into a text to another, or to the end of its first line; lines and columns from 1. */
export type SpotOf = (start: number, end: number) => Spot

/** The positions in a text; its newlines are counted once for all nodes. */
export function spotsIn(text: string): SpotOf {
  const { before, lines } = countIn(text)
  const charsBefore = (offset: number) => before[Math.min(offset, text.length)] ?? 0
  return (start, end) => {
    const line = lineAt(lines, start)
    const lineStart = lines[line - 1] ?? 0
    const lineEnd = (lines[line] ?? text.length + 1) - 1
    const length = charsBefore(Math.min(end, lineEnd)) - charsBefore(start)
    const column = charsBefore(start) - charsBefore(lineStart) + 1
    return { at: [line, column], length: Math.max(1, length) }
  }
}

/** One spot of a text. */
export function spotOf(text: string, start: number, end: number): Spot {
  return spotsIn(text)(start, end)
}

interface Counted {
  /** By offset: the code points before it. */
  readonly before: Uint32Array
  /** The offsets at which lines begin. */
  readonly lines: readonly number[]
}

function countIn(text: string): Counted {
  const before = new Uint32Array(text.length + 1)
  const lines = [0]
  let chars = 0
  let offset = 0
  for (const char of text) {
    chars += 1
    offset += char.length
    before.fill(chars, offset - char.length + 1, offset + 1)
    if (char === '\n') lines.push(offset)
  }
  return { before, lines }
}

/** The line of the offset, from 1. */
function lineAt(lines: readonly number[], offset: number): number {
  let low = 0
  let high = lines.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((lines[middle] ?? 0) <= offset) low = middle
    else high = middle
  }
  return low + 1
}
