/** A rule's text as a tree, before its names and types are known. */

import type { Place } from './expression.ts'

export type Syntax =
  | {
      readonly kind: 'literal'
      readonly type: 'bool' | 'double' | 'string'
      readonly value: string | number | boolean
      readonly at: Place
    }
  /** As written: whether it is small enough is for the check to say, after a minus before it is seen. */
  | { readonly kind: 'integer'; readonly value: bigint; readonly at: Place }
  /** What CEL has and rules do not: null, bytes, unsigned integers, maps. */
  | { readonly kind: 'foreign'; readonly what: string; readonly at: Place }
  | { readonly kind: 'name'; readonly name: string; readonly at: Place }
  | { readonly kind: 'member'; readonly of: Syntax; readonly field: string; readonly at: Place }
  | { readonly kind: 'index'; readonly of: Syntax; readonly index: Syntax; readonly at: Place }
  | { readonly kind: 'list'; readonly items: readonly Syntax[]; readonly at: Place }
  | {
      readonly kind: 'operator'
      readonly symbol: string
      readonly args: readonly Syntax[]
      readonly at: Place
    }
  /** A function; what stands before the dot is its first argument where `receiver` is true. */
  | {
      readonly kind: 'function'
      readonly name: string
      readonly receiver: boolean
      readonly args: readonly Syntax[]
      readonly at: Place
    }
