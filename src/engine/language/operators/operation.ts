/** Declares an operation: an operator or function on arguments of given types. */

import type { ValueType } from '../expression.ts'
import type { Cell, Type, Value } from '../values/value.ts'

/** Returns undefined when the operation fails on these values. */
type Apply = (a: Value, b: Value) => Cell | undefined

/** An operation with its literal last argument prepared. */
export interface PreparedOperation {
  readonly apply: (a: Value) => Cell | undefined
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
  readonly fails: boolean
  /** The most characters of a result that is text, by the sizes of the arguments. */
  readonly chars: (aSize: number, bSize: number) => number
  /** Prepares the literal last argument, or returns its problem. */
  readonly prepare?: (literal: Value) => PreparedOperation | string
  /** The size of a literal that is a pattern, without compiling it. */
  readonly patternSize?: (literal: Value) => number
  /** Whether the last argument must be a literal. */
  readonly literalOnly: boolean
  /** Whether a run computes it once for a name of the evidence, for all rules. */
  readonly shared: boolean
}

type Details = Partial<
  Pick<Operation, 'id' | 'fails' | 'chars' | 'prepare' | 'patternSize' | 'literalOnly' | 'shared'>
>

/** A row of the table from its signature `name(param, …): result`; the id is the signature unless the details have one. */
export function operation(
  signature: string,
  apply: (...args: never[]) => Cell | undefined,
  details: Details = {},
): Operation {
  const [, name = '', params = '', result = ''] = /^(\S+)\((.*)\): (\w+)$/.exec(signature) ?? []
  return {
    id: `${name}(${params})`,
    name,
    params: params.split(', ') as Type[],
    result: result as ValueType,
    apply: apply as Apply,
    fails: false,
    chars: () => 32,
    literalOnly: false,
    shared: false,
    ...details,
  }
}
