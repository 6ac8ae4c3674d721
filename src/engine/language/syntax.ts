/** A rule's text as a tree, before its names and types are known. */

import type { Spot } from './problem.ts'

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
