/** Declares a compiled expression (closure, maximum steps, size) and its compile context. */

import type { Expression } from '../language/expression.ts'
import type { ScalarValue, Value } from '../language/values/value.ts'
import type { CompiledAsk } from './compileAskedCall.ts'
import type { BoundList } from './compileFailureName.ts'
import type { EvidenceSlots, Memory } from './planMemory.ts'

export type Evaluator = () => Value

export interface CompiledExpression {
  readonly run: Evaluator
  /** The most steps one run takes. */
  readonly stepsMax: number
  /** The most characters of a text, or the items of a list. */
  readonly sizeMax: number
  /** Of a list: the most characters of any item. */
  readonly itemSizeMax?: number
  /** The slot, for a plain read. */
  readonly slot?: number
  readonly literal?: Value
}

export interface CompileContext {
  readonly memory: Memory
  readonly slots: EvidenceSlots
  /** Whether steps are counted while it runs. */
  readonly countsSteps: boolean
  /** Whether the rule has guards (`has`). */
  readonly hasGuards: boolean
  /** The whole rule, for the name to report when a part without names fails. */
  readonly rule: Expression
  /** The variables of the enclosing loops. */
  readonly variables: ReadonlyMap<string, LoopVariable>
  /** Calls that are answered before the run, by the name of their answer in the evidence. */
  readonly asks: Map<string, CompiledAsk>
  /** Values computed once a run, by operation and slot. */
  readonly memoizedOperations: Map<string, () => ScalarValue | undefined>
}

interface LoopVariable extends BoundList {
  readonly local: number
  readonly size: number
}
