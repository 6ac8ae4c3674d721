/** Type-checks calls of functions, and reads their literal arguments when a rule is saved. */

import { inListId, type Position, phoneCountryId } from '../expression.ts'
import type { Operation } from '../operators/operation.ts'
import {
  findCallStyle,
  findOperation,
  isFunctionOrOperator,
  listSignatures,
} from '../operators/operationTable.ts'
import { nameRoots } from '../readableNames.ts'
import { findPatternSizeProblem } from '../rulePatternSizes.ts'
import { isFinerThanMs, parseDuration, parseTimestamp } from '../values/time.ts'
import { findItemType, readLiteral, type Type, type Value } from '../values/value.ts'
import { checkInList, checkPhoneCountry } from './checkAskedCall.ts'
import {
  addNoOverload,
  addProblem,
  addTypeMismatch,
  type CheckContext,
  checkOperands,
  type FunctionSyntax,
  formatSuggestion,
  type TypedNode,
} from './checkContext.ts'
import { checkCounter, isCounterKind } from './checkCounter.ts'
import { resolveName } from './checkName.ts'
import { formatCallSyntax, suggestFunction } from './functionHint.ts'

export function checkFunction(
  syntax: FunctionSyntax,
  context: CheckContext,
): TypedNode | undefined {
  const { name } = syntax
  if (name === 'has' && !syntax.receiver) return checkHas(syntax, context)
  if (name === 'exists' || name === 'all') return checkLoop(name, syntax, context)
  if (isCounterKind(name)) return checkCounter({ ...syntax, name }, context)
  if (!/^[a-zA-Z]/.test(name) || !isFunctionOrOperator(name)) {
    const hint = formatSuggestion(suggestFunction(name))
    return addProblem(context, syntax.named, `undeclared reference to '${name}'${hint}`)
  }
  const args = checkOperands(syntax.args, context)
  if (!args) return undefined
  const types = args.map(({ type }) => type)
  const operation = findOperation(name, types)
  if (!operation || !hasCallStyle(syntax)) {
    return addNoOverload(context, syntax, { name, args, hint: suggestForm(syntax, types) })
  }
  return checkCall(operation, args, { at: syntax.at, context })
}

function checkCall(
  operation: Operation,
  args: readonly TypedNode[],
  checked: CallContext,
): TypedNode | undefined {
  const { at, context } = checked
  if (operation.id === inListId && !checkInList(args, context)) return undefined
  if (operation.id === phoneCountryId && !checkPhoneCountry(args, context)) return undefined
  return (
    buildConvertedRead(operation, args, at) ??
    buildTimeLiteral(operation, args, checked) ??
    buildCall(operation, args, checked)
  )
}

function hasCallStyle({ name, receiver }: FunctionSyntax): boolean {
  const style = findCallStyle(name)
  return style === 'either' || (style === 'receiver') === receiver
}

function suggestForm(syntax: FunctionSyntax, types: readonly Type[]): string {
  const { name } = syntax
  if (/^get[A-Z]/.test(name) && types.length > 1) return 'times are in UTC only'
  if (!hasCallStyle(syntax)) return `it is written ${formatCallSyntax(name)}`
  return `it takes ${listSignatures(name).join(' or ')}`
}

function checkHas(syntax: FunctionSyntax, context: CheckContext): TypedNode | undefined {
  const { args, at } = syntax
  const [of] = args
  const isName = of?.kind === 'member' || of?.kind === 'index'
  if (!of || args.length > 1 || !isName) {
    return addProblem(context, syntax, 'has() takes one name, as in has(signal.ip)')
  }
  const found = resolveName(of, context)
  return found && { node: { kind: 'has', name: found.name, at }, type: 'bool' }
}

/** A name directly inside a conversion is a read: a value that does not convert counts as missing. */
function buildConvertedRead(
  { name, params, result }: Operation,
  [arg]: readonly TypedNode[],
  at: Position,
): TypedNode | undefined {
  const read = arg?.node
  if (read?.kind !== 'read' || read.convert || name !== result) return undefined
  if (params[0] !== 'string' || result === 'string') return undefined
  return { node: { kind: 'read', name: read.name, convert: result, at }, type: result }
}

interface CallContext {
  readonly at: Position
  readonly context: CheckContext
}

/** `timestamp("…")` and `duration("…")` are literals, refused when they are not valid. */
function buildTimeLiteral(
  { name, result }: Operation,
  [arg]: readonly TypedNode[],
  { at, context }: CallContext,
): TypedNode | undefined {
  const text = arg?.node
  const isTime = result === 'timestamp' || result === 'duration'
  if (!isTime || name !== result || text?.kind !== 'literal' || typeof text.value !== 'string') {
    return undefined
  }
  const value = result === 'timestamp' ? parseTimestamp(text.value) : parseDuration(text.value)
  if (value !== undefined && !isFinerThanMs(text.value)) {
    return { node: { kind: 'literal', type: result, value, at }, type: result }
  }
  const form = result === 'timestamp' ? '2024-05-31T12:00:00Z (RFC 3339)' : '1h30m or 250ms'
  const finer = value === undefined ? '' : ', finer than milliseconds'
  return addProblem(context, text, `'${text.value}' is not a ${result} like ${form}${finer}`)
}

function buildCall(
  operation: Operation,
  args: readonly TypedNode[],
  { at, context }: CallContext,
): TypedNode | undefined {
  const nodes = args.map(({ node }) => node)
  const last = nodes.at(-1)
  if (operation.needsLiteral && last) {
    const problem = findLiteralProblem(operation, readLiteral(last), context)
    if (problem !== undefined) return addProblem(context, last, problem)
  }
  return { node: { kind: 'call', operator: operation.id, args: nodes, at }, type: operation.result }
}

/** The problem of an operation's literal. A pattern beyond the size limits is not compiled. */
function findLiteralProblem(
  operation: Operation,
  literal: Value | undefined,
  { patterns }: CheckContext,
): string | undefined {
  if (literal === undefined) {
    return `the last argument of ${operation.name} must be written in the rule`
  }
  const size = operation.patternSize?.(literal)
  if (size !== undefined) patterns.size += size
  const tooLarge = size === undefined ? undefined : findPatternSizeProblem(size, patterns.size)
  if (tooLarge !== undefined) return tooLarge
  const ready = operation.prepare?.(literal)
  return typeof ready === 'string' ? ready : undefined
}

function checkLoop(
  kind: 'exists' | 'all',
  syntax: FunctionSyntax,
  context: CheckContext,
): TypedNode | undefined {
  const { receiver, args, at } = syntax
  const [listSyntax, variable, bodySyntax] = args
  if (!receiver || listSyntax?.kind !== 'list' || !bodySyntax || args.length > 3) {
    const form = `["a", "b"].${kind}(x, …) over a list in the rule`
    return addProblem(context, syntax, `${kind} is written ${form}`)
  }
  if (variable?.kind !== 'name' || nameRoots.has(variable.name)) {
    return addProblem(context, variable ?? syntax, `${kind} needs a variable of its own first`)
  }
  const list = context.check(listSyntax, context)
  const type = list && findItemType(list.type)
  if (!list || !type) return undefined
  const variables = new Map(context.variables).set(variable.name, type)
  const body = context.check(bodySyntax, { ...context, variables })
  if (!body) return undefined
  if (body.type !== 'bool') return addTypeMismatch(context, body, 'bool')
  const node = { kind, variable: variable.name, list: list.node, body: body.node, at } as const
  return { node, type: 'bool' }
}
