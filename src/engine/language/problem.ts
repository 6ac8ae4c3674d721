/** What is wrong with a rule's text, and where. */

import type { Place } from './expression.ts'

/** A stretch of a rule's text, on one line. */
export interface Spot {
  readonly at: Place
  /** In characters as people count them, at least 1. */
  readonly length: number
}

export interface Problem {
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
  /** How many characters from there on are at fault; at least 1. */
  readonly length: number
  /** In the form of cel-go: `ERROR: <input>:1:1: undeclared reference to 'signal.foo'`. */
  readonly message: string
}

/** The problem of a spot. */
export function problemAt({ at: [line, column], length }: Spot, text: string): Problem {
  return { line, column, length, message: `ERROR: <input>:${line}:${column}: ${text}` }
}
