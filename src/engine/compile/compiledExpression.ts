/** Declares a compiled expression: its closure, its most steps, its largest size. */

import type { Expression } from '../language/expression.ts'
import type { Semantics } from '../language/semantics.ts'
import type { Value } from '../language/values/value.ts'
import type { CompiledLookup } from './compileLookup.ts'
import type { BoundList } from './failureName.ts'
import type { Memory, Slots } from './planMemory.ts'

export type Thunk = () => Value

export interface Compiled {
  readonly run: Thunk
  /** The most steps one run takes. */
  readonly steps: number
  /** The most characters of a text, or the items of a list. */
  readonly size: number
  /** Of a list: the most characters of any item. */
  readonly itemSize?: number
  /** The slot, for a plain read. */
  readonly slot?: number
  /** The value, for a literal. */
  readonly literal?: Value
}

/** The context in which an expression is compiled. */
export interface Scope {
  readonly memory: Memory
  readonly slots: Slots
  readonly semantics: Semantics
  /** Whether steps are counted while it runs. */
  readonly counted: boolean
  /** Whether the rule has guards (`has`). */
  readonly guarded: boolean
  /** The whole rule, for the name to report when a part without names fails. */
  readonly rule: Expression
  /** The variables of the enclosing loops. */
  readonly variables: ReadonlyMap<string, LoopVariable>
  /** List lookups, by the name of their answer in the evidence. */
  readonly lookups: Map<string, CompiledLookup>
  /** Values computed once a run, by operation and slot. */
  readonly shared: Map<string, () => Value | undefined>
}

interface LoopVariable extends BoundList {
  readonly local: number
  readonly size: number
}
