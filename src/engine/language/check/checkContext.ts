/** Declares the type checker's context, and records problems in the wording of cel-go. */

import type { ListKind } from '../../../domain/lists/lists.ts'
import type { Expression, ValueType } from '../expression.ts'
import { ruleLimits } from '../ruleLimits.ts'
import type { PatternSizes } from '../rulePatternSizes.ts'
import { type Problem, problemAt, type SourceRange, type Syntax } from '../syntax.ts'
import { type Type, typeName } from '../values/value.ts'

export type FunctionSyntax = Extract<Syntax, { kind: 'function' }>

/** A checked node with its type. */
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
  /** The different lookups found so far. */
  readonly lookups: Set<string>
  readonly problems: Problem[]
  /** The size of the patterns found so far. */
  readonly patterns: PatternSizes
  /** Positions of the checked parts. */
  readonly spots: Map<Expression, SourceRange>
  /** Checks a part; undefined when it has a problem. */
  readonly check: (syntax: Syntax, context: CheckContext) => TypedNode | undefined
}

/** Records a problem; returns undefined, since syntax with a problem has neither node nor type. */
export function addProblem({ problems }: CheckContext, spot: SourceRange, text: string): undefined {
  if (problems.length < ruleLimits.problems) problems.push(problemAt(spot, text))
  return undefined
}

/** The position of a checked node in the rule's text. */
export function locateNode({ spots }: CheckContext, node: Expression): SourceRange {
  return spots.get(node) ?? { at: node.at, length: 1 }
}

/** The name of an operator in messages, as in cel-go. */
export function operatorName(symbol: string, operands: number): string {
  if (symbol === 'in') return '@in'
  if (symbol === '?:') return '_?_:_'
  return operands === 1 ? `${symbol}_` : `_${symbol}_`
}

/** Records that no operator or function of this name takes these types. */
export function addNoOverload(
  context: CheckContext,
  spot: SourceRange,
  call: { readonly name: string; readonly types: readonly Type[]; readonly hint: string },
): undefined {
  const types = call.types.map(typeName).join(', ')
  const hint = call.hint && `; ${call.hint}`
  return addProblem(
    context,
    spot,
    `found no matching overload for '${call.name}' applied to '(${types})'${hint}`,
  )
}

/** Records that a node is not of the required type. */
export function addTypeMismatch(
  context: CheckContext,
  { node, type }: TypedNode,
  wanted: string,
): undefined {
  const text = `expected type '${wanted}' but found '${typeName(type)}'`
  return addProblem(context, locateNode(context, node), text)
}

/** Checks all operands, also after a problem; undefined when any has one. */
export function checkAll(
  parts: readonly Syntax[],
  context: CheckContext,
): readonly TypedNode[] | undefined {
  const checked = parts.map((part) => context.check(part, context))
  return checked.every((part) => part !== undefined) ? checked : undefined
}
