/** Declares an operation: an operator or function on arguments of given types. */

import type { ValueType } from '../expression.ts'
import type { Cell, Type, Value } from '../values/value.ts'

/** Undefined says that the operation fails on these values. */
type Apply = (a: Value, b: Value) => Cell | undefined

/** An operation whose last argument is written in the rule and has been read once. */
export interface Prepared {
  readonly apply: (a: Value) => Cell | undefined
  /** What the literal counts for where the operation is charged: items, networks, steps that a character can cost a pattern. */
  readonly size: number
  /** What holds the values that it is true for, where `apply` asks nothing else. */
  readonly set?: ReadonlySet<Value>
}

export interface Operation {
  /** What a stored expression says; two operations that compute the same may share it. */
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
  /** For operations that want a literal as their last argument: reads it, or says what is wrong with it. */
  readonly prepare?: (literal: Value) => Prepared | string
  /** For operations whose literal is a pattern: its size, told without preparing it. */
  readonly patternSize?: (literal: Value) => number
  /** Whether the last argument must be a literal. */
  readonly literalOnly: boolean
  /** Whether one run should compute it once for a name of the evidence, whatever the number of rules that ask. */
  readonly shared: boolean
}

type Details = Partial<
  Pick<Operation, 'id' | 'fails' | 'chars' | 'prepare' | 'patternSize' | 'literalOnly' | 'shared'>
>

/**
 * A row: `name(param, …): result`, the types that `apply` really takes, and details. Without an id of its own, the operation's id
 * is its signature.
 */
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
