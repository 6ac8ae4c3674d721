/** Declares an operation: an operator or function on arguments of given types. */

import type { ValueType } from '../expression.ts'
import type { ScalarValue, Type, Value } from '../values/value.ts'

/** Returns undefined when the operation fails on these values. */
type Apply = (a: Value, b: Value) => ScalarValue | undefined

/** An operation with its literal last argument prepared. */
export interface PreparedOperation {
  readonly apply: (a: Value) => ScalarValue | undefined
  /** The size of the literal for charges: items, networks, or steps per character of a pattern. */
  readonly size: number
  /** The values for which it is true, when `apply` is a set lookup. */
  readonly set?: ReadonlySet<Value>
}

export interface Operation {
  /** The id in stored expressions; two operations that compute the same may share it. */
  readonly id: string
  /** As written: a symbol or the name of a function. */
  readonly name: string
  readonly params: readonly Type[]
  readonly result: ValueType
  readonly apply: Apply
  /** Whether `apply` may answer undefined. */
  readonly canFail: boolean
  /** The most characters of a result that is text, by the sizes of the arguments. */
  readonly chars: (aSize: number, bSize: number) => number
  /** Prepares the literal last argument, or returns its problem. */
  readonly prepare?: (literal: Value) => PreparedOperation | string
  /** The size of a literal that is a pattern, without compiling it. */
  readonly patternSize?: (literal: Value) => number
  /** Whether the last argument must be a literal. */
  readonly needsLiteral: boolean
  /** Whether a run computes it once for a name of the evidence, for all rules. */
  readonly isMemoized: boolean
}

type Details = Partial<Omit<Operation, 'name' | 'params' | 'result' | 'apply'>>

/** A row of the table from its signature `name(param, …): result`, which is its id unless the details have one. */
export function defineOperation(
  signature: string,
  apply: (...args: never[]) => ScalarValue | undefined,
  details: Details = {},
): Operation {
  const [, name = '', params = '', result = ''] = /^(\S+)\((.*)\): (\w+)$/.exec(signature) ?? []
  return {
    id: `${name}(${params})`,
    name,
    params: params.split(', ') as Type[],
    result: result as ValueType,
    apply: apply as Apply,
    canFail: false,
    chars: () => 32,
    needsLiteral: false,
    isMemoized: false,
    ...details,
  }
}
