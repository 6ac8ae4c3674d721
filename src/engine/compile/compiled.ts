/** Declares a compiled expression: its closure, its most steps, its largest size. */

import type { Expression } from '../language/expression.ts'
import type { Semantics } from '../language/semantics.ts'
import type { Value } from '../language/values/value.ts'
import type { BoundList } from './blame.ts'
import type { CompiledLookup } from './compileLookup.ts'
import type { Memory, Slots } from './memory.ts'

export type Thunk = () => Value

export interface Compiled {
  readonly run: Thunk
  /** The most steps one run takes. */
  readonly steps: number
  /** The most characters of a text, the items of a list. */
  readonly size: number
  /** Of a list that is written out: the most characters of any of its items. */
  readonly itemSize?: number
  /** The slot it reads, where it does nothing else. */
  readonly slot?: number
  /** Its value, where that is written in the rule. */
  readonly literal?: Value
}

/** Where an expression is compiled. */
export interface Scope {
  readonly memory: Memory
  readonly slots: Slots
  readonly semantics: Semantics
  /** Whether steps are counted while it runs. */
  readonly counted: boolean
  /** Whether guards may keep the rule from reaching some of its parts. */
  readonly guarded: boolean
  /** The whole rule: where a part that fails has no name in it, one of these is blamed. */
  readonly rule: Expression
  /** The variables of the loops around, and what is known of their values. */
  readonly variables: ReadonlyMap<string, LoopVariable>
  /** The lists that are asked, by what their answers are called in the evidence. */
  readonly lookups: Map<string, CompiledLookup>
  /** What is computed once a run for a name, by operation and slot. */
  readonly shared: Map<string, () => Value | undefined>
}

interface LoopVariable extends BoundList {
  readonly local: number
  readonly size: number
}
