/** Traces one rule: evaluates every subexpression and records its value. */

import { readAskedCall } from '../language/askedCalls.ts'
import { readCounter } from '../language/counters.ts'
import {
  type CallNode,
  type Expression,
  type ListNode,
  type LoopNode,
  listChildren,
} from '../language/expression.ts'
import { charges, preparedId, requireCost } from '../language/operationCosts.ts'
import type { Operation, PreparedOperation } from '../language/operators/operation.ts'
import { findOperationById } from '../language/operators/operationTable.ts'
import { ruleLimits } from '../language/ruleLimits.ts'
import {
  measureValueSize,
  readLiteral,
  type ScalarValue,
  type Value,
} from '../language/values/value.ts'
import { describeFailure } from './describeFailure.ts'
import {
  buildTrace,
  type RuleInputs,
  type Trace,
  type TraceBudget,
  type TracedValue,
  type TraceState,
  traceRead,
} from './traceNodes.ts'

interface TraceContext {
  readonly budget: TraceBudget
  readonly seen: RuleInputs
  readonly variables: ReadonlyMap<string, Value>
  readonly prepared: Map<CallNode, PreparedOperation>
}

/**
 * The trace of a rule, with the value of every subexpression that can be computed, needed or not. It ends after
 * `limits.traceNodes` nodes and after the steps of one rule; its cost is subtracted from the budget.
 */
export function traceExpression(seen: RuleInputs, budget: TraceBudget): Trace {
  const own: TraceBudget = {
    parts: Math.min(ruleLimits.traceNodes, budget.parts),
    steps: Math.min(charges.ruleStepsMax, budget.steps),
  }
  const granted = { ...own }
  const tracing = { budget: own, seen, variables: new Map(), prepared: new Map() }
  const { trace } = traceNode(seen.expression, tracing)
  budget.parts -= granted.parts - Math.max(0, own.parts)
  budget.steps -= granted.steps - Math.max(0, own.steps)
  return trace
}

/** The tree of a rule that did not run: only its reads have values. */
export function traceReadsOnly(seen: RuleInputs, budget: TraceBudget): Trace {
  const trace = (node: Expression): Trace => {
    budget.parts -= 1
    const content =
      node.kind === 'read'
        ? traceRead(node, seen)
        : ({ state: 'not_evaluated', parts: listChildren(node).map(trace) } as const)
    return buildTrace(node, content, { budget }).trace
  }
  return trace(seen.expression)
}

function traceNode(node: Expression, tracing: TraceContext): TracedValue {
  const traced = traceKind(node, tracing)
  if (!tracing.seen.missingNodes.has(node)) return traced
  const { value: _, ...trace } = traced.trace
  return { trace: { ...trace, state: 'missing' }, value: undefined }
}

function traceKind(node: Expression, tracing: TraceContext): TracedValue {
  const { budget, seen, variables } = tracing
  budget.parts -= 1
  if (budget.parts < 0 || budget.steps < 0) {
    return buildTrace(node, { state: 'not_evaluated' }, tracing)
  }
  switch (node.kind) {
    case 'literal':
      return buildTrace(node, { value: node.value }, tracing)
    case 'read':
      return buildTrace(node, traceRead(node, seen), tracing)
    case 'has':
      return buildTrace(node, { value: seen.findItem(node.name) !== undefined }, tracing)
    case 'variable':
      return buildTrace(node, { value: variables.get(node.name) }, tracing)
    case 'list':
      return traceAllParts(node, tracing, {
        cost: () => charges.parts.list + charges.parts.listItem * node.items.length,
        apply: (...items) => items as readonly ScalarValue[],
      })
    case 'call':
      return traceCall(node, tracing)
    default:
      return traceLoop(node, tracing)
  }
}

function traceCall(node: CallNode, tracing: TraceContext): TracedValue {
  const { operator } = node
  if (operator === '&&' || operator === '||') return traceChain(node, operator === '||', tracing)
  if (operator === '?:') return traceChoice(node, tracing)
  const counter = readCounter(node)
  if (counter) {
    return traceAllParts(node, tracing, {
      cost: () => charges.parts.counter,
      apply: () => tracing.seen.findItem(counter.name)?.value,
    })
  }
  const operation = findOperationById(operator)
  if (!operation) return buildTrace(node, {}, tracing)
  const asked = readAskedCall(node)
  const ready = asked ? undefined : prepareLiteral(node, operation, tracing)
  const cost = requireCost(ready ? preparedId(operation.id) : operation.id)
  return traceAllParts(node, tracing, {
    cost: (a, b) => cost(measureValueSize(a), ready ? ready.size : measureValueSize(b)),
    apply: (a, b) => {
      if (asked) return tracing.seen.findItem(asked.name)?.value
      return ready ? ready.apply(a) : operation.apply(a, b)
    },
  })
}

/** The prepared literal argument, for an operation that needs one. */
function prepareLiteral(
  node: CallNode,
  { needsLiteral: literalOnly, prepare }: Operation,
  { prepared }: TraceContext,
): PreparedOperation | undefined {
  if (!literalOnly || !prepare) return undefined
  const known = prepared.get(node)
  if (known) return known
  const literal = readLiteral(node.args.at(-1))
  const made = literal === undefined ? undefined : prepare(literal)
  if (typeof made !== 'object') return undefined
  prepared.set(node, made)
  return made
}

interface Computation {
  readonly cost: (...values: [Value, Value]) => number
  /** The value of the node from those of its parts; undefined when there is none. */
  readonly apply: (...values: [Value, Value]) => Value | undefined
}

function traceAllParts(
  node: CallNode | ListNode,
  tracing: TraceContext,
  { cost, apply }: Computation,
): TracedValue {
  const followedParts = listChildren(node).map((child) => traceNode(child, tracing))
  const parts = followedParts.map(({ trace }) => trace)
  const values = followedParts.map(({ value }) => value)
  if (values.includes(undefined))
    return buildTrace(node, { state: explainMissingValue(parts), parts }, tracing)
  tracing.budget.steps -= cost(...(values as [Value, Value]))
  if (tracing.budget.steps < 0) return buildTrace(node, { state: 'not_evaluated', parts }, tracing)
  const value = apply(...(values as [Value, Value]))
  const problem =
    value === undefined && node.kind === 'call'
      ? describeFailure(node, values as readonly Value[])
      : undefined
  return buildTrace(node, { value, problem, parts }, tracing)
}

function traceChain(node: CallNode, until: boolean, tracing: TraceContext): TracedValue {
  const parts: Trace[] = []
  let value: boolean | undefined = !until
  for (const child of node.args) {
    const open: boolean = value === !until
    const part = traceNode(child, tracing)
    parts.push(markUnneeded(part.trace, child, { spare: !open, tracing }))
    if (open) value = part.value === undefined ? undefined : part.value === true
  }
  return buildTrace(node, { value, state: explainMissingValue(parts), parts }, tracing)
}

function traceChoice(node: CallNode, tracing: TraceContext): TracedValue {
  const [condition, one, other] = node.args
  if (!condition || !one || !other) return buildTrace(node, {}, tracing)
  const asked = traceNode(condition, tracing)
  const first = traceNode(one, tracing)
  const second = traceNode(other, tracing)
  const known = asked.value !== undefined
  const isFirst = asked.value === true
  const parts = [
    asked.trace,
    markUnneeded(first.trace, one, { spare: known && !isFirst, tracing }),
    markUnneeded(second.trace, other, { spare: known && isFirst, tracing }),
  ]
  const value = known ? (isFirst ? first : second).value : undefined
  return buildTrace(node, { value, state: explainMissingValue(parts), parts }, tracing)
}

/** The parts of a loop are its list and, for every item that was tested, its body. */
function traceLoop(node: LoopNode, tracing: TraceContext): TracedValue {
  const list = traceNode(node.list, tracing)
  const parts = [list.trace]
  const unknown = (): TracedValue =>
    buildTrace(node, { state: explainMissingValue(parts), parts }, tracing)
  if (!Array.isArray(list.value)) return unknown()
  const until = node.kind === 'exists'
  for (const item of list.value as readonly ScalarValue[]) {
    const variables = new Map(tracing.variables).set(node.variable, item)
    const body = traceNode(node.body, { ...tracing, variables })
    parts.push(body.trace)
    if (body.value === undefined) return unknown()
    if (body.value === until) return buildTrace(node, { value: until, parts }, tracing)
  }
  return buildTrace(node, { value: !until, parts }, tracing)
}

/** The part, marked as not needed when it is `spare`; in a rule that waits for evidence, when it is not reached. */
function markUnneeded(
  trace: Trace,
  part: Expression,
  { spare, tracing: { seen } }: { readonly spare: boolean; readonly tracing: TraceContext },
): Trace {
  const needed = seen.missingNodes.size > 0 ? !seen.unreachableNodes.has(part) : !spare
  return needed ? trace : { ...trace, needed: false }
}

/** The state of a node with a needed part that has no value. */
function explainMissingValue(parts: readonly Trace[]): TraceState {
  const is = (wanted: TraceState): boolean =>
    parts.some(({ state, needed }) => state === wanted && needed !== false)
  return is('missing') ? 'missing' : is('failed') ? 'failed' : 'not_evaluated'
}
