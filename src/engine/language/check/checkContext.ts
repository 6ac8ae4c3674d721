/** Declares the type checker's context; records problems, worded as in cel-go (CEL in Go). */

import type { ListKind } from '../../../domain/lists/lists.ts'
import type { Expression, ValueType } from '../expression.ts'
import { ruleLimits } from '../ruleLimits.ts'
import { buildProblem, type Problem, type SourceRange, type Syntax } from '../syntax.ts'
import { formatType, type Type } from '../values/value.ts'

export type FunctionSyntax = Extract<Syntax, { kind: 'function' }>

export interface TypedNode {
  readonly node: Expression
  readonly type: Type
}

export interface CheckContext {
  /** Types of the names after `param.`. */
  readonly parameters: ReadonlyMap<string, ValueType> | undefined
  /** Variables of the enclosing loops. */
  readonly variables: ReadonlyMap<string, ValueType>
  /** Kinds of the account's lists, by name. */
  readonly lists: ReadonlyMap<string, ListKind>
  /** The different list lookups found so far, and the different arguments of `phoneCountry`. */
  readonly lookups: Set<string>
  readonly countries: Set<string>
  /** The different counters found so far. */
  readonly counters: Set<string>
  readonly problems: Problem[]
  /** The size of the patterns found so far. */
  readonly patterns: { size: number }
  /** Positions of the checked parts. */
  readonly spots: Map<Expression, SourceRange>
  /** Checks a part; undefined when it has a problem. */
  readonly check: (syntax: Syntax, context: CheckContext) => TypedNode | undefined
}

/**
 * Records a problem of a part of the text, or of the part that a checked node was made of; returns undefined, since
 * syntax with a problem has neither node nor type.
 */
export function addProblem(
  { problems, spots }: CheckContext,
  part: SourceRange | Expression,
  text: string,
): undefined {
  const spot = 'length' in part ? part : (spots.get(part) ?? { at: part.at, length: 1 })
  if (problems.length < ruleLimits.problems) problems.push(buildProblem(spot, text))
  return undefined
}

/** A hint that names what was probably meant; empty when nothing is near. */
export function formatSuggestion(meant: string | undefined): string {
  return meant === undefined ? '' : `; did you mean '${meant}'?`
}

/** The name of an operator in messages, as in cel-go. */
export function formatOperatorName(symbol: string, operands: number): string {
  if (symbol === 'in') return '@in'
  if (symbol === '?:') return '_?_:_'
  return operands === 1 ? `${symbol}_` : `_${symbol}_`
}

/** Records that no operator or function of this name takes these types. */
export function addNoOverload(
  context: CheckContext,
  part: SourceRange | Expression,
  call: { readonly name: string; readonly args: readonly TypedNode[]; readonly hint: string },
): undefined {
  const types = call.args.map(({ type }) => formatType(type)).join(', ')
  const text = `found no matching overload for '${call.name}' applied to '(${types})'`
  return addProblem(context, part, call.hint === '' ? text : `${text}; ${call.hint}`)
}

export function addTypeMismatch(
  context: CheckContext,
  { node, type }: TypedNode,
  wanted: string,
): undefined {
  return addProblem(context, node, `expected type '${wanted}' but found '${formatType(type)}'`)
}

/** Checks all operands, also after a problem; undefined when any has one. */
export function checkOperands(
  parts: readonly Syntax[],
  context: CheckContext,
): readonly TypedNode[] | undefined {
  const checked = parts.map((part) => context.check(part, context))
  return checked.every((part) => part !== undefined) ? checked : undefined
}
