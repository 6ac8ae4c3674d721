/** Type-checks calls of functions, and reads their literal arguments when a rule is saved. */

import type { Position } from '../expression.ts'
import { nameRoots } from '../names.ts'
import { inListId } from '../operators/domainFunctions.ts'
import type { Operation } from '../operators/operation.ts'
import { findOperation, isKnown, signaturesOf, styleOf } from '../operators/table.ts'
import { addPattern } from '../patternSizes.ts'
import { durationOfText, finerThanMs, timestampOfText } from '../values/time.ts'
import { itemType, literalOf, type Type, type Value } from '../values/value.ts'
import {
  type Checking,
  checkAll,
  type FunctionSyntax,
  report,
  reportType,
  reportTypes,
  spotOf,
  type Typed,
} from './checking.ts'
import { checkLookup } from './checkLookup.ts'
import { findName } from './checkName.ts'
import { suggestFunction, writtenForm } from './functionHint.ts'

/** A function with its arguments, checked. */
export function checkFunction(syntax: FunctionSyntax, checking: Checking): Typed | undefined {
  const { name } = syntax
  if (name === 'has' && !syntax.receiver) return checkHas(syntax, checking)
  if (name === 'exists' || name === 'all') return checkLoop(name, syntax, checking)
  if (!/^[a-zA-Z]/.test(name) || !isKnown(name)) {
    const meant = suggestFunction(name)
    const hint = meant === undefined ? '' : `; did you mean '${meant}'?`
    return report(checking, syntax.named, `undeclared reference to '${name}'${hint}`)
  }
  const args = checkAll(syntax.args, checking)
  if (!args) return undefined
  const types = args.map(({ type }) => type)
  const operation = findOperation(name, types)
  if (!operation || !isWellStyled(syntax)) {
    return reportTypes(checking, syntax, { name, types, hint: hintFor(syntax, types) })
  }
  return callOf(operation, args, { at: syntax.at, checking })
}

function callOf(operation: Operation, args: readonly Typed[], checked: Checked): Typed | undefined {
  const { at, checking } = checked
  if (operation.id === inListId && !checkLookup(args, checking)) return undefined
  return (
    convertedName(operation, args, at) ??
    timeLiteral(operation, args, checked) ??
    plainCall(operation, args, checked)
  )
}

function isWellStyled({ name, receiver }: FunctionSyntax): boolean {
  const style = styleOf(name)
  return style === 'either' || (style === 'receiver') === receiver
}

function hintFor(syntax: FunctionSyntax, types: readonly Type[]): string {
  const { name } = syntax
  if (/^get[A-Z]/.test(name) && types.length > 1) return 'times are in UTC only'
  if (!isWellStyled(syntax)) return `it is written ${writtenForm(name)}`
  return `it takes ${signaturesOf(name).join(' or ')}`
}

function checkHas(syntax: FunctionSyntax, checking: Checking): Typed | undefined {
  const { args, at } = syntax
  const [of] = args
  const isName = of?.kind === 'member' || of?.kind === 'index'
  if (!of || args.length > 1 || !isName) {
    return report(checking, syntax, 'has() takes one name, as in has(signal.ip)')
  }
  const found = findName(of, checking)
  return found && { node: { kind: 'has', name: found.name, at }, type: 'bool' }
}

/** A name directly inside a conversion is a read: a value that does not convert counts as missing. */
function convertedName(
  { name, params, result }: Operation,
  [arg]: readonly Typed[],
  at: Position,
): Typed | undefined {
  const read = arg?.node
  if (read?.kind !== 'read' || read.convert || name !== result) return undefined
  if (params[0] !== 'string' || result === 'string') return undefined
  return { node: { kind: 'read', name: read.name, convert: result, at }, type: result }
}

interface Checked {
  readonly at: Position
  readonly checking: Checking
}

/** `timestamp("…")` and `duration("…")` are literals, refused when they are not valid. */
function timeLiteral(
  { name, result }: Operation,
  [arg]: readonly Typed[],
  { at, checking }: Checked,
): Typed | undefined {
  const text = arg?.node
  const isTime = result === 'timestamp' || result === 'duration'
  if (!isTime || name !== result || text?.kind !== 'literal' || typeof text.value !== 'string') {
    return undefined
  }
  const value = result === 'timestamp' ? timestampOfText(text.value) : durationOfText(text.value)
  if (value !== undefined && !finerThanMs(text.value)) {
    return { node: { kind: 'literal', type: result, value, at }, type: result }
  }
  const form = result === 'timestamp' ? '2024-05-31T12:00:00Z (RFC 3339)' : '1h30m or 250ms'
  const finer = value === undefined ? '' : ', finer than milliseconds'
  const spot = spotOf(checking, text)
  return report(checking, spot, `'${text.value}' is not a ${result} like ${form}${finer}`)
}

function plainCall(
  operation: Operation,
  args: readonly Typed[],
  { at, checking }: Checked,
): Typed | undefined {
  const nodes = args.map(({ node }) => node)
  const last = nodes.at(-1)
  if (operation.literalOnly && last) {
    const literal = literalOf(last)
    if (literal === undefined) {
      return report(
        checking,
        spotOf(checking, last),
        `the last argument of ${operation.name} must be written in the rule`,
      )
    }
    const problem = literalProblem(operation, literal, checking)
    if (problem !== undefined) return report(checking, spotOf(checking, last), problem)
  }
  return { node: { kind: 'call', operator: operation.id, args: nodes, at }, type: operation.result }
}

/** The problem of an operation's literal. A pattern beyond the size limits is not compiled. */
function literalProblem(
  operation: Operation,
  literal: Value,
  { patterns }: Checking,
): string | undefined {
  const size = operation.patternSize?.(literal)
  const tooLarge = size === undefined ? undefined : addPattern(patterns, size)
  if (tooLarge !== undefined) return tooLarge
  const ready = operation.prepare?.(literal)
  return typeof ready === 'string' ? ready : undefined
}

/** A loop, checked: `[…].exists(x, condition)`. */
function checkLoop(
  kind: 'exists' | 'all',
  syntax: FunctionSyntax,
  checking: Checking,
): Typed | undefined {
  const { receiver, args, at } = syntax
  const [listSyntax, variable, bodySyntax] = args
  if (!receiver || listSyntax?.kind !== 'list' || !bodySyntax || args.length > 3) {
    return report(
      checking,
      syntax,
      `${kind} is written ["a", "b"].${kind}(x, …) over a list in the rule`,
    )
  }
  if (variable?.kind !== 'name' || nameRoots.has(variable.name)) {
    return report(checking, variable ?? syntax, `${kind} needs a variable of its own first`)
  }
  const list = checking.check(listSyntax, checking)
  const type = list && itemType(list.type)
  if (!list || !type) return undefined
  const variables = new Map(checking.variables).set(variable.name, type)
  const body = checking.check(bodySyntax, { ...checking, variables })
  if (!body) return undefined
  if (body.type !== 'bool') return reportType(checking, body, 'bool')
  const node = { kind, variable: variable.name, list: list.node, body: body.node, at } as const
  return { node, type: 'bool' }
}
