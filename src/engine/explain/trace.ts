/** Runs one rule slowly and keeps what every part of it gave. */

import type {
  CallNode,
  Expression,
  ListNode,
  LoopNode,
  Place,
  ReadNode,
} from '../language/expression.ts'
import { limits } from '../language/limits.ts'
import { operationOf } from '../language/operators/table.ts'
import { childrenOf } from '../language/readsOf.ts'
import { typeOf } from '../language/typeOf.ts'
import { unparse } from '../language/unparse.ts'
import { durationText, timestampText } from '../language/values/time.ts'
import type { Cell, Value } from '../language/values/value.ts'
import type { Seen } from './seen.ts'

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

interface Tracing {
  /** A rule that waits has no result, though the parts before what lacks might have been enough for one. */
  readonly seen: Seen
  readonly variables: ReadonlyMap<string, Value>
  /** Parts that may still be looked at. */
  readonly budget: { left: number }
}

interface Traced {
  readonly trace: Trace
  readonly value: Value | undefined
}

const textMax = 200

/**
 * The tree of a rule over what arrived, with the value of every part that can be computed, needed or not. It is cut off beyond
 * `limits.traceNodes` parts.
 */
export function traceExpression(seen: Seen): Trace {
  const budget = { left: limits.traceNodes }
  return follow(seen.expression, { seen, variables: new Map(), budget }).trace
}

/** The tree of a rule that did not run: its reads with what arrived, and nothing else. */
export function idleTrace(expression: Expression, gives: Seen['gives']): Trace {
  if (expression.kind === 'read') return reading(expression, gives).trace
  const parts = childrenOf(expression).map((part) => idleTrace(part, gives))
  return traceOf(expression, 'not_evaluated', { parts }).trace
}

function follow(node: Expression, tracing: Tracing): Traced {
  const traced = followed(node, tracing)
  if (!tracing.seen.waiting.has(node)) return traced
  const { value: _, ...trace } = traced.trace
  return { trace: { ...trace, state: 'missing' }, value: undefined }
}

function followed(node: Expression, tracing: Tracing): Traced {
  tracing.budget.left -= 1
  if (tracing.budget.left < 0) return traceOf(node, 'not_evaluated')
  switch (node.kind) {
    case 'literal':
      return given(node, node.value)
    case 'read':
      return reading(node, tracing.seen.gives)
    case 'has':
      return given(node, tracing.seen.arrived(node.name))
    case 'variable':
      return given(node, tracing.variables.get(node.name))
    case 'list':
      return strict({ node, tracing, apply: (...items) => items as readonly Cell[] })
    case 'call':
      return calling(node, tracing)
    default:
      return looping(node, tracing)
  }
}

function reading(node: ReadNode, gives: Seen['gives']): Traced {
  const value = gives(node)
  return value === undefined ? traceOf(node, 'missing') : given(node, value)
}

function calling(node: CallNode, tracing: Tracing): Traced {
  const { operator, args } = node
  if (operator === '&&' || operator === '||') return chaining(node, operator === '||', tracing)
  if (operator === '?:') return choosing(node, tracing)
  const operation = operationOf(operator)
  const literal = operation?.literalOnly ? literalOf(args.at(-1)) : undefined
  const ready = literal === undefined ? undefined : operation?.prepare?.(literal)
  const apply: Strict['apply'] = (a, b) =>
    typeof ready === 'object' ? ready.apply(a) : operation?.apply(a, b)
  return strict({ node, tracing, apply })
}

function literalOf(node: Expression | undefined): Value | undefined {
  if (node?.kind === 'literal') return node.value
  return node?.kind === 'list' ? node.items.map((item) => literalOf(item) as Cell) : undefined
}

interface Strict {
  readonly node: CallNode | ListNode
  readonly tracing: Tracing
  /** What the values of all parts give; undefined where they give none. */
  readonly apply: (...values: [Value, Value]) => Value | undefined
}

/** A part that needs all of its own. */
function strict({ node, tracing, apply }: Strict): Traced {
  const children = childrenOf(node)
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
    parts.push(shownAs(part.trace, child, { spare: !open, tracing }))
    if (open) result = part.value === undefined ? undefined : part.value === true
  }
  return result === undefined
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
  const isSpare = (branch: Traced): boolean => branch === left && asked.value !== undefined
  const parts = [
    asked.trace,
    shownAs(first.trace, one, { spare: isSpare(first), tracing }),
    shownAs(second.trace, other, { spare: isSpare(second), tracing }),
  ]
  const result = asked.value === undefined ? undefined : taken.value
  return result === undefined
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

/**
 * The part as one that the result did not need, where it is `spare` or not reached. In a rule that waits, which has no result, only
 * what is not reached is said to be so.
 */
function shownAs(
  trace: Trace,
  part: Expression,
  { spare, tracing: { seen } }: { readonly spare: boolean; readonly tracing: Tracing },
): Trace {
  const needed = seen.waiting.size > 0 ? !seen.unreached.has(part) : !spare
  return needed ? trace : { ...trace, needed: false }
}

/** What a part gives when one of its own that it needs gave nothing. */
function stateOf(parts: readonly Trace[]): TraceState {
  const is = (wanted: TraceState): boolean =>
    parts.some(({ state, needed }) => state === wanted && needed !== false)
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
  const type = typeOf(node)
  if (type === 'timestamp') return timestampText(value)
  return type === 'duration' ? durationText(value) : value
}
