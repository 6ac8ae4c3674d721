/** Runs one rule slowly and keeps what every part of it gave. */

import type { CallNode, Expression, LoopNode, Place, ReadNode } from '../language/expression.ts'
import { limits } from '../language/limits.ts'
import { typeOfName } from '../language/names.ts'
import { ofText } from '../language/operators/conversion.ts'
import { operationOf } from '../language/operators/table.ts'
import { childrenOf } from '../language/readsOf.ts'
import { unparse } from '../language/unparse.ts'
import { durationText, timestampText } from '../language/values/time.ts'
import type { Cell, Value } from '../language/values/value.ts'

/**
 * `missing`: did not arrive, or cannot be told without what did not. `failed`: could not be computed. `not_evaluated`: the rule did
 * not run, or its tree is too large.
 */
type TraceState = 'value' | 'missing' | 'failed' | 'not_evaluated'

/** A part of a rule and what it gave. */
export interface Trace {
  readonly text: string
  readonly line: number
  readonly column: number
  readonly state: TraceState
  /** Times in their text form. */
  readonly value?: Value
  /** False when the rule came to its result without this part, which was computed only to be shown. */
  readonly needed?: false
  readonly parts?: readonly Trace[]
}

type LookUp = (name: string) => Cell | undefined

interface Tracing {
  readonly lookUp: LookUp
  readonly variables: ReadonlyMap<string, Value>
  /** Whether the rule waits for a name: then nothing that rests on it has a value, however the rest comes out. */
  readonly waits: boolean
  /** Parts that may still be looked at. */
  readonly budget: { left: number }
}

interface Traced {
  readonly trace: Trace
  readonly value: Value | undefined
}

const textMax = 200

/**
 * The tree of a rule over these values, with the value of every part that can be computed, needed or not; `waits` for a rule that
 * did not run since a name did not arrive. It is cut off beyond `limits.traceNodes` parts.
 */
export function traceExpression(expression: Expression, lookUp: LookUp, waits: boolean): Trace {
  const budget = { left: limits.traceNodes }
  return follow(expression, { lookUp, variables: new Map(), waits, budget }).trace
}

/** The tree of a rule that did not run: its reads with what arrived, and nothing else. */
export function idleTrace(expression: Expression, lookUp: LookUp): Trace {
  if (expression.kind === 'read') return reading(expression, { lookUp }).trace
  const parts = childrenOf(expression).map((part) => idleTrace(part, lookUp))
  return traceOf(expression, 'not_evaluated', { parts }).trace
}

function follow(node: Expression, tracing: Tracing): Traced {
  tracing.budget.left -= 1
  if (tracing.budget.left < 0) return traceOf(node, 'not_evaluated')
  switch (node.kind) {
    case 'literal':
      return given(node, node.value)
    case 'read':
      return reading(node, tracing)
    case 'has':
      return given(node, tracing.lookUp(node.name) !== undefined)
    case 'variable':
      return given(node, tracing.variables.get(node.name))
    case 'list':
      return strict(node, node.items, tracing, (...items) => items as readonly Cell[])
    case 'call':
      return calling(node, tracing)
    default:
      return looping(node, tracing)
  }
}

function reading(node: ReadNode, { lookUp }: Pick<Tracing, 'lookUp'>): Traced {
  const arrived = lookUp(node.name)
  const converted =
    node.convert === undefined || typeof arrived !== 'string'
      ? arrived
      : ofText[node.convert](arrived)
  return converted === undefined ? traceOf(node, 'missing') : given(node, converted)
}

function calling(node: CallNode, tracing: Tracing): Traced {
  const { operator, args } = node
  if (operator === '&&' || operator === '||') return chaining(node, operator === '||', tracing)
  if (operator === '?:') return choosing(node, tracing)
  const operation = operationOf(operator)
  const literal = operation?.literalOnly ? literalOf(args.at(-1)) : undefined
  const ready = literal === undefined ? undefined : operation?.prepare?.(literal)
  return strict(node, args, tracing, (a, b) => {
    if (typeof ready === 'object') return ready.apply(a)
    return operation?.apply(a, b)
  })
}

function literalOf(node: Expression | undefined): Value | undefined {
  if (node?.kind === 'literal') return node.value
  return node?.kind === 'list' ? node.items.map((item) => literalOf(item) as Cell) : undefined
}

/** Parts that are all needed. */
function strict(
  node: Expression,
  children: readonly Expression[],
  ...[tracing, apply]: readonly [Tracing, (...values: [Value, Value]) => Value | undefined]
): Traced {
  const parts: Trace[] = []
  const values: Value[] = []
  for (const child of children) {
    const part = follow(child, tracing)
    parts.push(part.trace)
    if (part.value !== undefined) values.push(part.value)
  }
  if (values.length < children.length) return traceOf(node, stateOf(parts), { parts })
  const result = apply(...(values as [Value, Value]))
  return result === undefined ? traceOf(node, 'failed', { parts }) : given(node, result, parts)
}

function chaining(node: CallNode, until: boolean, tracing: Tracing): Traced {
  const parts: Trace[] = []
  let result: boolean | undefined = !until
  for (const child of node.args) {
    const open: boolean = result === !until
    const part = follow(child, tracing)
    parts.push(open ? part.trace : spare(part.trace, tracing))
    if (open) result = part.value === undefined ? undefined : part.value === true
  }
  return result === undefined || lacks(parts, tracing)
    ? traceOf(node, stateOf(parts), { parts })
    : given(node, result, parts)
}

function choosing(node: CallNode, tracing: Tracing): Traced {
  const [condition, one, other] = node.args
  if (!condition || !one || !other) return traceOf(node, 'failed')
  const asked = follow(condition, tracing)
  const first = follow(one, tracing)
  const second = follow(other, tracing)
  const [taken, left] = asked.value === true ? [first, second] : [second, first]
  const shownOf = (branch: Traced): Trace =>
    branch === left && asked.value !== undefined ? spare(branch.trace, tracing) : branch.trace
  const parts = [asked.trace, shownOf(first), shownOf(second)]
  const result = asked.value === undefined ? undefined : taken.value
  return result === undefined || lacks(parts, tracing)
    ? traceOf(node, stateOf(parts), { parts })
    : given(node, result, parts)
}

/** The parts of a loop are its list and, for every item that was looked at, its body. */
function looping(node: LoopNode, tracing: Tracing): Traced {
  const list = follow(node.list, tracing)
  const parts = [list.trace]
  if (!Array.isArray(list.value)) return traceOf(node, stateOf(parts), { parts })
  const until = node.kind === 'exists'
  for (const item of list.value as readonly Cell[]) {
    const variables = new Map(tracing.variables).set(node.variable, item)
    const body = follow(node.body, { ...tracing, variables })
    parts.push(body.trace)
    if (body.value === undefined) return traceOf(node, stateOf(parts), { parts })
    if (body.value === until) return given(node, until, parts)
  }
  return given(node, !until, parts)
}

/** The part as one that the result did not need; of a rule that waits nothing is said to be so. */
function spare(trace: Trace, { waits }: Tracing): Trace {
  return waits ? trace : { ...trace, needed: false }
}

/** A rule that waits for a name has no result, though the parts before might have been enough for one. */
function lacks(parts: readonly Trace[], { waits }: Tracing): boolean {
  return waits && parts.some(({ state }) => state === 'missing')
}

/** What a part gives when one of its own gave nothing. */
function stateOf(parts: readonly Trace[]): TraceState {
  const is = (wanted: TraceState): boolean => parts.some(({ state }) => state === wanted)
  return is('missing') ? 'missing' : is('failed') ? 'failed' : 'not_evaluated'
}

function given(node: Expression, value: Value | undefined, parts?: readonly Trace[]): Traced {
  if (value === undefined) return traceOf(node, 'failed', parts && { parts })
  const traced = traceOf(node, 'value', { value: shown(node, value), ...(parts && { parts }) })
  return { ...traced, value }
}

function traceOf(
  node: Expression,
  state: TraceState,
  found: Pick<Trace, 'value' | 'parts'> = {},
): Traced {
  const [line, column]: Place = node.at
  const { parts, ...rest } = found
  const text = unparse(node).slice(0, textMax)
  const trace = { text, line, column, state, ...rest, ...(parts && parts.length > 0 && { parts }) }
  return { trace, value: undefined }
}

function shown(node: Expression, value: Value): Value {
  if (typeof value !== 'number') return value
  const type = timeTypeOf(node)
  if (type === 'timestamp') return timestampText(value)
  return type === 'duration' ? durationText(value) : value
}

function timeTypeOf(node: Expression): string | undefined {
  if (node.kind === 'literal') return node.type
  if (node.kind === 'read') return node.convert ?? typeOfName(node.name, undefined)
  return node.kind === 'call' ? operationOf(node.operator)?.result : undefined
}
