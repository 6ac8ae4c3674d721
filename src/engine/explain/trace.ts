/** Traces one rule: evaluates every subexpression and records its value. */

import { preparedId } from '../language/charges.ts'
import {
  type CallNode,
  childrenOf,
  type Expression,
  type ListNode,
  type LoopNode,
  type ReadNode,
} from '../language/expression.ts'
import { limits } from '../language/limits.ts'
import { lookupOf } from '../language/lookups.ts'
import type { Operation, Prepared } from '../language/operators/operation.ts'
import { operationOf } from '../language/operators/table.ts'
import { currentSemantics } from '../language/semantics.ts'
import type { Cell, Value } from '../language/values/value.ts'
import {
  newShowing,
  type Seen,
  type Showing,
  type Trace,
  type Traced,
  type TraceMeans,
  type TraceState,
} from './seen.ts'

/** Running a rule again to show it is no part of its meaning: it costs what it costs today, whatever the version. */
const { charges } = currentSemantics

interface Tracing extends Showing {
  /** A rule that waits has no result, though the parts before what lacks might have been enough for one. */
  readonly seen: Seen
  readonly variables: ReadonlyMap<string, Value>
  /** What is read once of the literals of calls. */
  readonly prepared: Map<CallNode, Prepared>
}

/**
 * The trace of a rule over the evidence, with the value of every subexpression that can be computed, needed or not. It is cut off beyond
 * `limits.traceNodes` nodes, and beyond the steps that a rule may take by current charges; its cost is subtracted from the means of all
 * rules.
 */
export function traceExpression(seen: Seen, means: TraceMeans): Trace {
  const budget: TraceMeans = {
    parts: Math.min(limits.traceNodes, means.parts),
    steps: Math.min(charges.ruleSteps, means.steps),
  }
  const granted = { ...budget }
  const tracing = { ...newShowing(budget), seen, variables: new Map(), prepared: new Map() }
  const { trace } = follow(seen.expression, tracing)
  means.parts -= granted.parts - Math.max(0, budget.parts)
  means.steps -= granted.steps - Math.max(0, budget.steps)
  return trace
}

/** The tree of a rule that did not run: its reads with what arrived, and nothing else. */
export function idleTrace({ expression, gives }: Seen, means: TraceMeans): Trace {
  const showing = newShowing(means)
  const idle = (node: Expression): Trace => {
    means.parts -= 1
    if (node.kind === 'read') return reading(node, gives, showing).trace
    const parts = childrenOf(node).map(idle)
    return showing.traceOf(node, 'not_evaluated', { parts }).trace
  }
  return idle(expression)
}

function follow(node: Expression, tracing: Tracing): Traced {
  const traced = followed(node, tracing)
  if (!tracing.seen.waiting.has(node)) return traced
  const { value: _, ...trace } = traced.trace
  return { trace: { ...trace, state: 'missing' }, value: undefined }
}

function followed(node: Expression, tracing: Tracing): Traced {
  const { budget } = tracing
  budget.parts -= 1
  if (budget.parts < 0 || budget.steps < 0) return tracing.traceOf(node, 'not_evaluated')
  switch (node.kind) {
    case 'literal':
      return tracing.given(node, node.value)
    case 'read':
      return reading(node, tracing.seen.gives, tracing)
    case 'has':
      return tracing.given(node, tracing.seen.arrived(node.name))
    case 'variable':
      return tracing.given(node, tracing.variables.get(node.name))
    case 'list':
      return listing(node, tracing)
    case 'call':
      return calling(node, tracing)
    default:
      return looping(node, tracing)
  }
}

function reading(node: ReadNode, gives: Seen['gives'], showing: Showing): Traced {
  const value = gives(node)
  return value === undefined ? showing.traceOf(node, 'missing') : showing.given(node, value)
}

function listing(node: ListNode, tracing: Tracing): Traced {
  const { list, listItem } = charges.parts
  const cost = (): number => list + listItem * node.items.length
  return strict({ node, tracing, cost, apply: (...items) => items as readonly Cell[] })
}

function calling(node: CallNode, tracing: Tracing): Traced {
  const { operator } = node
  if (operator === '&&' || operator === '||') return chaining(node, operator === '||', tracing)
  if (operator === '?:') return choosing(node, tracing)
  const operation = operationOf(operator)
  if (!operation) return tracing.traceOf(node, 'failed')
  const lookup = lookupOf(node)
  if (lookup) {
    const { itemOf } = tracing.seen
    const costOf = charges.costOf(operation.id)
    return strict({
      node,
      tracing,
      cost: (a, b) => costOf(sizeOf(a), sizeOf(b)),
      apply: () => itemOf(lookup.name)?.value,
    })
  }
  const ready = preparedFor(node, operation, tracing)
  if (typeof ready === 'object') {
    const cost = charges.costOf(preparedId(operation.id))
    return strict({
      node,
      tracing,
      cost: (a) => cost(sizeOf(a), ready.size),
      apply: (a) => ready.apply(a),
    })
  }
  const cost = charges.costOf(operation.id)
  return strict({
    node,
    tracing,
    cost: (a, b) => cost(sizeOf(a), sizeOf(b)),
    apply: (a, b) => operation.apply(a, b),
  })
}

/** What the operation makes of its literal argument, where it must have one. */
function preparedFor(
  node: CallNode,
  { literalOnly, prepare }: Operation,
  { prepared }: Tracing,
): Prepared | undefined {
  if (!literalOnly || !prepare) return undefined
  const known = prepared.get(node)
  if (known) return known
  const literal = literalOf(node.args.at(-1))
  const made = literal === undefined ? undefined : prepare(literal)
  if (typeof made !== 'object') return undefined
  prepared.set(node, made)
  return made
}

function sizeOf(value: Value | undefined): number {
  return typeof value === 'string' || Array.isArray(value) ? value.length : 0
}

function literalOf(node: Expression | undefined): Value | undefined {
  if (node?.kind === 'literal') return node.value
  return node?.kind === 'list' ? node.items.map((item) => literalOf(item) as Cell) : undefined
}

interface Strict {
  readonly node: CallNode | ListNode
  readonly tracing: Tracing
  readonly cost: (...values: [Value, Value]) => number
  /** What the values of all parts give; undefined where they give none. */
  readonly apply: (...values: [Value, Value]) => Value | undefined
}

/** A part that needs all of its own. */
function strict({ node, tracing, cost, apply }: Strict): Traced {
  const children = childrenOf(node)
  const parts: Trace[] = []
  const values: Value[] = []
  for (const child of children) {
    const part = follow(child, tracing)
    parts.push(part.trace)
    if (part.value !== undefined) values.push(part.value)
  }
  if (values.length < children.length) return tracing.traceOf(node, stateOf(parts), { parts })
  tracing.budget.steps -= cost(...(values as [Value, Value]))
  if (tracing.budget.steps < 0) return tracing.traceOf(node, 'not_evaluated', { parts })
  const result = apply(...(values as [Value, Value]))
  return result === undefined
    ? tracing.traceOf(node, 'failed', { parts })
    : tracing.given(node, result, parts)
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
    ? tracing.traceOf(node, stateOf(parts), { parts })
    : tracing.given(node, result, parts)
}

function choosing(node: CallNode, tracing: Tracing): Traced {
  const [condition, one, other] = node.args
  if (!condition || !one || !other) return tracing.traceOf(node, 'failed')
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
    ? tracing.traceOf(node, stateOf(parts), { parts })
    : tracing.given(node, result, parts)
}

/** The parts of a loop are its list and, for every item that was looked at, its body. */
function looping(node: LoopNode, tracing: Tracing): Traced {
  const list = follow(node.list, tracing)
  const parts = [list.trace]
  if (!Array.isArray(list.value)) return tracing.traceOf(node, stateOf(parts), { parts })
  const until = node.kind === 'exists'
  for (const item of list.value as readonly Cell[]) {
    const variables = new Map(tracing.variables).set(node.variable, item)
    const body = follow(node.body, { ...tracing, variables })
    parts.push(body.trace)
    if (body.value === undefined) return tracing.traceOf(node, stateOf(parts), { parts })
    if (body.value === until) return tracing.given(node, until, parts)
  }
  return tracing.given(node, !until, parts)
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
