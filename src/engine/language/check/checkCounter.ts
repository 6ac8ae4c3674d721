/** Type-checks counters: source, name, key, window, and what `distinct` is compared with. */

import { deviceSignals } from '../../../domain/signals/signals.ts'
import { nearestName } from '../../../domain/text/nearestName.ts'
import {
  type CounterHead,
  type CounterKind,
  type CounterSource,
  type CounterWindow,
  counterKinds,
  counterSources,
  counterWindowsMs,
  distinctMax,
  formatCounterOperator,
  formatCounterPart,
  isCounterSource,
  isCounterWindow,
  readCounter,
  readCounterPart,
} from '../counters.ts'
import { type CallNode, type Expression, listChildren } from '../expression.ts'
import { findOperationById } from '../operators/operationTable.ts'
import { ruleLimits } from '../ruleLimits.ts'
import type { SourceRange, Syntax } from '../syntax.ts'
import { parseDuration } from '../values/time.ts'
import {
  addProblem,
  type CheckContext,
  type FunctionSyntax,
  formatSuggestion,
  type TypedNode,
} from './checkContext.ts'
import { listNameParts, resolveName } from './checkName.ts'

type CounterSyntax = FunctionSyntax & { readonly name: CounterKind }

/** How each is written. */
const forms: Readonly<Record<CounterKind, string>> = {
  count: 'count(evaluations, by(signal.device_id), "10m")',
  distinct: 'distinct(evaluations, target.phone_number, by(signal.device_id), "24h")',
  sum: 'sum(evaluations, int(signal.ext.amount), by(signal.device_id), "24h")',
}

export function isCounterKind(name: string): name is CounterKind {
  return counterKinds.some((kind) => kind === name)
}

/** Checks a call of `count`, `distinct` or `sum`. */
export function checkCounter(syntax: CounterSyntax, context: CheckContext): TypedNode | undefined {
  const { name: kind, args, at } = syntax
  const parts = kind === 'count' ? [args[0], undefined, ...args.slice(1)] : args
  const [from, measuring, keyed, during] = parts
  const isWhole = args.length === (kind === 'count' ? 3 : 4) && !syntax.receiver
  if (!isWhole || !from || !keyed || !during) {
    return addProblem(context, syntax, `${kind} is written ${forms[kind]}`)
  }
  const source = checkSource(from, context)
  const measured = measuring && checkMeasured(kind, measuring, context)
  const by = checkBy(keyed, context)
  const window = checkWindow(during, context)
  if (!source || !by || !window || (measuring && !measured)) return undefined
  const names = [...by.flatMap((node) => readCounterPart(node)?.name ?? []), measured]
  const unknown = names.find((name) => name !== undefined && !knowsName(source, name))
  if (unknown !== undefined) {
    const text = `${source} have no '${unknown}': it would never be counted`
    return addProblem(context, syntax, `${text}; ${describeKnown(source)}`)
  }
  const head: CounterHead = { kind, source, window, ...(measured !== undefined && { measured }) }
  return addCounter(
    { kind: 'call', operator: formatCounterOperator(head), args: by, at },
    syntax,
    context,
  )
}

function addCounter(
  node: CallNode,
  spot: SourceRange,
  context: CheckContext,
): TypedNode | undefined {
  context.counters.add(readCounter(node)?.name ?? '')
  if (context.counters.size <= ruleLimits.counters) return { node, type: 'int' }
  return addProblem(context, spot, `a rule has ${ruleLimits.counters} counters at most`)
}

function checkSource(syntax: Syntax, context: CheckContext): CounterSource | undefined {
  const written = listNameParts(syntax)?.join('.') ?? ''
  if (isCounterSource(written)) return written
  const near = formatSuggestion(nearestName(written, counterSources))
  const all = counterSources.join(', ')
  return addProblem(
    context,
    syntax,
    `'${written}' cannot be counted${near || `; these can: ${all}`}`,
  )
}

/** The name whose values are told apart or added up, which is not read: the key alone must have arrived. */
function checkMeasured(
  kind: CounterKind,
  syntax: Syntax,
  context: CheckContext,
): string | undefined {
  const isInt = syntax.kind === 'function' && syntax.name === 'int' && syntax.args.length === 1
  if (kind === 'sum' && !isInt) {
    return addProblem(context, syntax, 'sum adds up int(…) of a name, as in int(signal.ext.amount)')
  }
  const of = isInt && kind === 'sum' ? syntax.args[0] : syntax
  if (of?.kind !== 'member' && of?.kind !== 'index') {
    return addProblem(context, syntax, `${kind} takes a name there, as in ${forms[kind]}`)
  }
  const found = resolveName(of, context)
  return found && (checkCountable(found.name, of, context) ? found.name : undefined)
}

const partsMax = 3

function checkBy(syntax: Syntax, context: CheckContext): readonly Expression[] | undefined {
  if (syntax.kind !== 'function' || syntax.name !== 'by' || syntax.receiver) {
    return addProblem(context, syntax, 'the key is written by(…), as in by(signal.device_id)')
  }
  if (syntax.args.length === 0 || syntax.args.length > partsMax) {
    return addProblem(context, syntax, `by(…) takes 1 to ${partsMax} parts`)
  }
  const nodes = syntax.args.map((part) => checkPart(part, context))
  if (!nodes.every((node) => node !== undefined)) return undefined
  const texts = new Set(
    nodes.map((node) => formatCounterPart(readCounterPart(node) ?? { name: '' })),
  )
  if (texts.size === nodes.length) return nodes
  return addProblem(context, syntax, 'by(…) has a part twice')
}

function checkPart(syntax: Syntax, context: CheckContext): Expression | undefined {
  const typed = context.check(syntax, context)
  if (!typed) return undefined
  const part = readCounterPart(typed.node)
  if (part) return checkCountable(part.name, syntax, context) ? typed.node : undefined
  const functions = 'network(…), emailDomain(…), phoneCountry(…) or prefix(…, 5) of a name'
  return addProblem(context, syntax, `a part of by(…) is a name, or ${functions}`)
}

function checkCountable(name: string, spot: SourceRange, context: CheckContext): boolean {
  if (/^(?:signal|target|flow)\./.test(name)) return true
  addProblem(context, spot, `'${name}' cannot be counted by; signal.…, target.… and flow.id can`)
  return false
}

/** Whether events of the source can have a value of the name. */
function knowsName(source: CounterSource, name: string): boolean {
  if (source === 'evaluations' || source === 'flagged') return true
  const isDevice = deviceSignals.some((signal) => name === `signal.${signal}`)
  return isDevice || (source !== 'dispatches' && name.startsWith('target.'))
}

function describeKnown(source: CounterSource): string {
  const device = 'the signals of device and network'
  return source === 'dispatches' ? `they have ${device}` : `they have the target and ${device}`
}

function checkWindow(syntax: Syntax, context: CheckContext): CounterWindow | undefined {
  const all = Object.keys(counterWindowsMs).map((name) => `"${name}"`)
  if (syntax.kind !== 'literal' || typeof syntax.value !== 'string') {
    return addProblem(context, syntax, `the window is written as a text: ${all.join(', ')}`)
  }
  if (isCounterWindow(syntax.value)) return syntax.value
  const near = formatSuggestion(findEqualWindow(syntax.value))
  return addProblem(
    context,
    syntax,
    `'${syntax.value}' is no window${near || `; these are: ${all.join(', ')}`}`,
  )
}

/** The window that is as long as the text says in another unit: `60m`, `1d`, `1w`. */
function findEqualWindow(text: string): string | undefined {
  const hours = { d: 24, w: 7 * 24 }
  const inHours = text.replace(
    /^(\d{1,3})([dw])$/,
    (_, n, unit: 'd' | 'w') => `${n * hours[unit]}h`,
  )
  const ms = parseDuration(inHours)
  return Object.entries(counterWindowsMs).find(([, windowMs]) => windowMs === ms)?.[0]
}

const comparisons: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>='])

/** Records a problem where `distinct` is anything but compared with a number that it can reach. */
export function checkDistincts(node: Expression, context: CheckContext): void {
  for (const child of listChildren(node)) {
    if (readCounter(child)?.series.kind === 'distinct' && !isCompared(node, child)) {
      const text = `distinct counts up to ${distinctMax}: compare it with a number written in the rule, at most ${distinctMax}`
      addProblem(context, child, text)
    }
    checkDistincts(child, context)
  }
}

function isCompared(node: Expression, distinct: Expression): boolean {
  if (node.kind !== 'call' || !comparisons.has(findOperationById(node.operator)?.name ?? '')) {
    return false
  }
  const other = node.args.find((arg) => arg !== distinct)
  return other?.kind === 'literal' && Number(other.value) <= distinctMax
}
