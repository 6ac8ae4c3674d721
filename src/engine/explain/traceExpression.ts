/** Traces one rule: evaluates every subexpression and records its value. */

import {
  type CallNode,
  childrenOf,
  type Expression,
  type ListNode,
  type LoopNode,
} from '../language/expression.ts'
import { readInListLookup } from '../language/inListLookups.ts'
import { preparedId } from '../language/operationCosts.ts'
import type { Operation, PreparedOperation } from '../language/operators/operation.ts'
import { findOperationById } from '../language/operators/operationTable.ts'
import { ruleLimits } from '../language/ruleLimits.ts'
import { currentSemantics } from '../language/semantics.ts'
import {
  literalOf,
  measureValueSize,
  type ScalarValue,
  type Value,
} from '../language/values/value.ts'
import {
  type RenderContext,
  type RuleInputs,
  type Trace,
  type TraceBudget,
  type TracedValue,
  type TraceState,
  traceOf,
} from './traceNodes.ts'

/** An explanation is charged by the current version, whatever version the rule ran with. */
const { charges } = currentSemantics

interface Tracing extends RenderContext {
  readonly seen: RuleInputs
  readonly variables: ReadonlyMap<string, Value>
  /** The prepared literals of calls. */
  readonly prepared: Map<CallNode, PreparedOperation>
}

/**
 * The trace of a rule, with the value of every subexpression that can be computed, needed or not. It ends after `limits.traceNodes`
 * nodes and after the steps of one rule; its cost is subtracted from the budget.
 */
export function traceExpression(seen: RuleInputs, budget: TraceBudget): Trace {
  const own: TraceBudget = {
    parts: Math.min(ruleLimits.traceNodes, budget.parts),
    steps: Math.min(charges.ruleStepsMax, budget.steps),
  }
  const granted = { ...own }
  const tracing: Tracing = {
    budget: own,
    texts: new Map(),
    seen,
    variables: new Map(),
    prepared: new Map(),
  }
  const { trace } = follow(seen.expression, tracing)
  budget.parts -= granted.parts - Math.max(0, own.parts)
  budget.steps -= granted.steps - Math.max(0, own.steps)
  return trace
}

/** The tree of a rule that did not run: only its reads have values. */
export function traceReadsOnly(
  { expression, findReadValue }: RuleInputs,
  budget: TraceBudget,
): Trace {
  const context: RenderContext = { budget, texts: new Map() }
  const trace = (node: Expression): Trace => {
    budget.parts -= 1
    const content =
      node.kind === 'read'
        ? ({ value: findReadValue(node), state: 'missing' } as const)
        : ({ state: 'not_evaluated', parts: childrenOf(node).map(trace) } as const)
    return traceOf(node, content, context).trace
  }
  return trace(expression)
}

function follow(node: Expression, tracing: Tracing): TracedValue {
  const traced = followed(node, tracing)
  if (!tracing.seen.missingNodes.has(node)) return traced
  const { value: _, ...trace } = traced.trace
  return { trace: { ...trace, state: 'missing' }, value: undefined }
}

function followed(node: Expression, tracing: Tracing): TracedValue {
  const { budget, seen, variables } = tracing
  budget.parts -= 1
  if (budget.parts < 0 || budget.steps < 0) {
    return traceOf(node, { state: 'not_evaluated' }, tracing)
  }
  switch (node.kind) {
    case 'literal':
      return traceOf(node, { value: node.value }, tracing)
    case 'read':
      return traceOf(node, { value: seen.findReadValue(node), state: 'missing' }, tracing)
    case 'has':
      return traceOf(node, { value: seen.itemOf(node.name) !== undefined }, tracing)
    case 'variable':
      return traceOf(node, { value: variables.get(node.name) }, tracing)
    case 'list':
      return strict(node, tracing, {
        cost: () => charges.parts.list + charges.parts.listItem * node.items.length,
        apply: (...items) => items as readonly ScalarValue[],
      })
    case 'call':
      return calling(node, tracing)
    default:
      return looping(node, tracing)
  }
}

function calling(node: CallNode, tracing: Tracing): TracedValue {
  const { operator } = node
  if (operator === '&&' || operator === '||') return chaining(node, operator === '||', tracing)
  if (operator === '?:') return choosing(node, tracing)
  const operation = findOperationById(operator)
  if (!operation) return traceOf(node, {}, tracing)
  const lookup = readInListLookup(node)
  const ready = lookup ? undefined : preparedFor(node, operation, tracing)
  const cost = charges.requireCost(ready ? preparedId(operation.id) : operation.id)
  return strict(node, tracing, {
    cost: (a, b) => cost(measureValueSize(a), ready ? ready.size : measureValueSize(b)),
    apply: (a, b) => {
      if (lookup) return tracing.seen.itemOf(lookup.name)?.value
      return ready ? ready.apply(a) : operation.apply(a, b)
    },
  })
}

/** The prepared literal argument, for an operation that needs one. */
function preparedFor(
  node: CallNode,
  { needsLiteral: literalOnly, prepare }: Operation,
  { prepared }: Tracing,
): PreparedOperation | undefined {
  if (!literalOnly || !prepare) return undefined
  const known = prepared.get(node)
  if (known) return known
  const literal = literalOf(node.args.at(-1))
  const made = literal === undefined ? undefined : prepare(literal)
  if (typeof made !== 'object') return undefined
  prepared.set(node, made)
  return made
}

interface Computing {
  readonly cost: (...values: [Value, Value]) => number
  /** The value of the node from those of its parts; undefined when there is none. */
  readonly apply: (...values: [Value, Value]) => Value | undefined
}

/** A node that needs all of its parts. */
function strict(
  node: CallNode | ListNode,
  tracing: Tracing,
  { cost, apply }: Computing,
): TracedValue {
  const followedParts = childrenOf(node).map((child) => follow(child, tracing))
  const parts = followedParts.map(({ trace }) => trace)
  const values = followedParts.map(({ value }) => value)
  if (values.includes(undefined)) return traceOf(node, { state: stateOf(parts), parts }, tracing)
  tracing.budget.steps -= cost(...(values as [Value, Value]))
  if (tracing.budget.steps < 0) return traceOf(node, { state: 'not_evaluated', parts }, tracing)
  return traceOf(node, { value: apply(...(values as [Value, Value])), parts }, tracing)
}

function chaining(node: CallNode, until: boolean, tracing: Tracing): TracedValue {
  const parts: Trace[] = []
  let value: boolean | undefined = !until
  for (const child of node.args) {
    const open: boolean = value === !until
    const part = follow(child, tracing)
    parts.push(shownAs(part.trace, child, { spare: !open, tracing }))
    if (open) value = part.value === undefined ? undefined : part.value === true
  }
  return traceOf(node, { value, state: stateOf(parts), parts }, tracing)
}

function choosing(node: CallNode, tracing: Tracing): TracedValue {
  const [condition, one, other] = node.args
  if (!condition || !one || !other) return traceOf(node, {}, tracing)
  const asked = follow(condition, tracing)
  const first = follow(one, tracing)
  const second = follow(other, tracing)
  const known = asked.value !== undefined
  const isFirst = asked.value === true
  const parts = [
    asked.trace,
    shownAs(first.trace, one, { spare: known && !isFirst, tracing }),
    shownAs(second.trace, other, { spare: known && isFirst, tracing }),
  ]
  const value = known ? (isFirst ? first : second).value : undefined
  return traceOf(node, { value, state: stateOf(parts), parts }, tracing)
}

/** The parts of a loop are its list and, for every item that was tested, its body. */
function looping(node: LoopNode, tracing: Tracing): TracedValue {
  const list = follow(node.list, tracing)
  const parts = [list.trace]
  const unknown = (): TracedValue => traceOf(node, { state: stateOf(parts), parts }, tracing)
  if (!Array.isArray(list.value)) return unknown()
  const until = node.kind === 'exists'
  for (const item of list.value as readonly ScalarValue[]) {
    const variables = new Map(tracing.variables).set(node.variable, item)
    const body = follow(node.body, { ...tracing, variables })
    parts.push(body.trace)
    if (body.value === undefined) return unknown()
    if (body.value === until) return traceOf(node, { value: until, parts }, tracing)
  }
  return traceOf(node, { value: !until, parts }, tracing)
}

/** The part, marked as not needed when it is `spare`; in a rule that waits for evidence, when it is not reached. */
function shownAs(
  trace: Trace,
  part: Expression,
  { spare, tracing: { seen } }: { readonly spare: boolean; readonly tracing: Tracing },
): Trace {
  const needed = seen.missingNodes.size > 0 ? !seen.unreachedNodes.has(part) : !spare
  return needed ? trace : { ...trace, needed: false }
}

/** The state of a node with a needed part that has no value. */
function stateOf(parts: readonly Trace[]): TraceState {
  const is = (wanted: TraceState): boolean =>
    parts.some(({ state, needed }) => state === wanted && needed !== false)
  return is('missing') ? 'missing' : is('failed') ? 'failed' : 'not_evaluated'
}
