/** An expression ready to run, with what is known of it beforehand. */

import type { Value } from '../language/values/value.ts'
import type { Memory } from './memory.ts'
import type { Slots } from './slots.ts'

export type Thunk = () => Value

export interface Compiled {
  readonly run: Thunk
  /** The most steps one run takes. */
  readonly steps: number
  /** The most characters of a text, the items of a list. */
  readonly size: number
  /** The first name read in it: what a failure is blamed on. */
  readonly blame: string | undefined
  /** The slot it reads, where it does nothing else. */
  readonly slot?: number
  /** Its value, where that is written in the rule. */
  readonly literal?: Value
}

/** Where an expression is compiled. */
export interface Scope {
  readonly memory: Memory
  readonly slots: Slots
  /** Whether steps are counted while it runs. */
  readonly counted: boolean
  /** The variables of the loops around, and what is known of their values. */
  readonly variables: ReadonlyMap<string, LoopVariable>
  /** What is computed once a run for a name, by operation and slot. */
  readonly shared: Map<string, () => Value | undefined>
}

interface LoopVariable {
  readonly local: number
  readonly size: number
  readonly blame: string | undefined
}
