/** Declares a problem in a rule's text with its position, in the format of cel-go. */

import type { Place } from './expression.ts'

/** A range of a rule's text within one line. */
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

export type Syntax = Spot &
  (
    | {
        readonly kind: 'literal'
        readonly type: 'bool' | 'double' | 'string'
        readonly value: string | number | boolean
      }
    /** As written: whether it is small enough is for the check to say, after a minus before it is seen. */
    | { readonly kind: 'integer'; readonly value: bigint }
    /** What CEL has and rules do not: null, bytes, unsigned integers, maps. */
    | { readonly kind: 'foreign'; readonly what: string }
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'member'; readonly of: Syntax; readonly field: string }
    | { readonly kind: 'index'; readonly of: Syntax; readonly index: Syntax }
    | { readonly kind: 'list'; readonly items: readonly Syntax[] }
    | { readonly kind: 'operator'; readonly symbol: string; readonly args: readonly Syntax[] }
    /** A function; what stands before the dot is its first argument where `receiver` is true. */
    | {
        readonly kind: 'function'
        readonly name: string
        /** Where its name stands. */
        readonly named: Spot
        readonly receiver: boolean
        readonly args: readonly Syntax[]
      }
  )
