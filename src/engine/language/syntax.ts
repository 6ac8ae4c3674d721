/** Declares a rule's syntax tree and positions; formats its problems (`ERROR: <input>:1:7: …`). */

import type { Position } from './expression.ts'

/** A range of a rule's text within one line. */
export interface SourceRange {
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
export function buildProblem({ at: [line, column], length }: SourceRange, text: string): Problem {
  return { line, column, length, message: `ERROR: <input>:${line}:${column}: ${text}` }
}

export type Syntax = SourceRange &
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
        readonly named: SourceRange
        readonly receiver: boolean
        readonly args: readonly Syntax[]
      }
  )

/** The spot from an offset into a text to another, or to the end of its first line; lines and columns from 1. */
export type RangeLocator = (start: number, end: number) => SourceRange

/** The positions in a text; its lines and characters are counted once for all nodes. */
export function createRangeLocator(text: string): RangeLocator {
  const positions: Position[] = []
  let [line, column] = [1, 1]
  for (const char of text) {
    positions.push([line, column])
    column += 1
    // the second half of a pair
    if (char.length === 2) positions.push([line, column])
    if (char === '\n') [line, column] = [line + 1, 1]
  }
  const last: Position = [line, column]
  return (start, end) => {
    const at = positions[start] ?? last
    const newline = text.indexOf('\n', start)
    const lineEnd = newline === -1 ? text.length : newline
    const [, endColumn] = positions[Math.min(end, lineEnd)] ?? last
    return { at, length: Math.max(1, endColumn - at[1]) }
  }
}
