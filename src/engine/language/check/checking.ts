/** Declares the state of a type check, and records the problems it finds. */

import type { ListKind } from '../../../domain/lists/lists.ts'
import type { Expression, ValueType } from '../expression.ts'
import { limits } from '../limits.ts'
import type { PatternSum } from '../patternSizes.ts'
import { type Problem, problemAt, type Spot, type Syntax } from '../problem.ts'
import { type Type, typeName } from '../values/value.ts'

export type FunctionSyntax = Extract<Syntax, { kind: 'function' }>

/** A checked node with its type. */
export interface Typed {
  readonly node: Expression
  readonly type: Type
}

export interface Checking {
  /** Types of the names that stand behind `param.`. */
  readonly parameters: ReadonlyMap<string, ValueType> | undefined
  /** The variables of the loops around. */
  readonly variables: ReadonlyMap<string, ValueType>
  /** What stands on the lists that there are, by name. */
  readonly lists: ReadonlyMap<string, ListKind>
  /** What lists are asked, each question once. */
  readonly lookups: Set<string>
  readonly problems: Problem[]
  /** The patterns that have been checked. */
  readonly patterns: PatternSum
  /** Where the parts that have been checked stand. */
  readonly spots: Map<Expression, Spot>
  /** Checks any part; undefined when a problem was noted in it. */
  readonly check: (syntax: Syntax, checking: Checking) => Typed | undefined
}

/** Records a problem; returns undefined, since syntax with a problem has neither node nor type. */
export function complain({ problems }: Checking, spot: Spot, text: string): undefined {
  if (problems.length < limits.problems) problems.push(problemAt(spot, text))
  return undefined
}

/** The position of a checked node in the rule's text. */
export function spotOf({ spots }: Checking, node: Expression): Spot {
  return spots.get(node) ?? { at: node.at, length: 1 }
}

/** How an operator is called in messages, as cel-go does. */
export function operatorName(symbol: string, operands: number): string {
  if (symbol === 'in') return '@in'
  if (symbol === '?:') return '_?_:_'
  return operands === 1 ? `${symbol}_` : `_${symbol}_`
}

/** Notes that no operator or function of this name takes these types. */
export function complainOfTypes(
  checking: Checking,
  spot: Spot,
  call: { readonly name: string; readonly types: readonly Type[]; readonly hint: string },
): undefined {
  const types = call.types.map(typeName).join(', ')
  const hint = call.hint && `; ${call.hint}`
  return complain(
    checking,
    spot,
    `found no matching overload for '${call.name}' applied to '(${types})'${hint}`,
  )
}

/** Records that a node is not of the required type. */
export function complainOfType(
  checking: Checking,
  { node, type }: Typed,
  wanted: string,
): undefined {
  const text = `expected type '${wanted}' but found '${typeName(type)}'`
  return complain(checking, spotOf(checking, node), text)
}

/** Checks all operands, also after a problem; undefined when any has one. */
export function checkAll(
  parts: readonly Syntax[],
  checking: Checking,
): readonly Typed[] | undefined {
  const checked = parts.map((part) => checking.check(part, checking))
  return checked.every((part) => part !== undefined) ? checked : undefined
}
