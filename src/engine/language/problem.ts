/** What is wrong with a rule's text, and where. */

import type { Place } from './expression.ts'

export interface Problem {
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
  /** In the form of cel-go: `ERROR: <input>:1:1: undeclared reference to 'signal.foo'`. */
  readonly message: string
}

/** The problem of a place. */
export function problemAt([line, column]: Place, text: string): Problem {
  return { line, column, message: `ERROR: <input>:${line}:${column}: ${text}` }
}
