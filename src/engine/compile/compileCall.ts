/** Compiles calls of operators and functions to closures. */

import type { CallNode } from '../language/expression.ts'
import { type CostFunction, preparedId, requireCost } from '../language/operationCosts.ts'
import type { Operation, PreparedOperation } from '../language/operators/operation.ts'
import { findOperationById } from '../language/operators/operationTable.ts'
import { measureValueSize, type ScalarValue, type Value } from '../language/values/value.ts'
import { findAnswerSlot } from './compileAskedCall.ts'
import type { CompileContext, CompiledExpression, Evaluator } from './compiledExpression.ts'
import { compileFailureName, type FailureName } from './compileFailureName.ts'
import { failRule, type Memory, spendSteps } from './planMemory.ts'

/** Compiles a call. Throws when the table has no such operator. */
export function compileCall(
  node: CallNode,
  args: readonly CompiledExpression[],
  scope: CompileContext,
): CompiledExpression {
  const operation = findOperationById(node.operator)
  const [first, second] = args
  if (!operation || !first) throw new Error(`an operator of another version: ${node.operator}`)
  const nameOfFailure = compileFailureName(node, scope)
  const ready = prepareLiteral(operation, args)
  const cost = requireCost(ready ? preparedId(operation.id) : operation.id)
  const call: Call = {
    operation,
    first,
    second: second ?? absentOperand,
    nameOfFailure,
    answerSlot: findAnswerSlot(node, args.at(-1), scope),
    cost,
    scope,
  }
  const own = cost(first.sizeMax, ready ? ready.size : call.second.sizeMax)
  return {
    run: ready ? compilePrepared(call, ready) : compileApplied(call),
    stepsMax: first.stepsMax + call.second.stepsMax + own,
    sizeMax:
      operation.result === 'string' ? operation.chars(first.sizeMax, call.second.sizeMax) : 0,
  }
}

interface Call {
  readonly operation: Operation
  readonly first: CompiledExpression
  readonly second: CompiledExpression
  readonly nameOfFailure: FailureName
  /** For a call that is answered before the run: the slot of its answer. */
  readonly answerSlot: number | undefined
  readonly cost: CostFunction
  readonly scope: CompileContext
}

const absentOperand: CompiledExpression = { run: () => 0, stepsMax: 0, sizeMax: 0, literal: 0 }

function prepareLiteral(
  operation: Operation,
  args: readonly CompiledExpression[],
): PreparedOperation | undefined {
  const literal = args.at(-1)?.literal
  if (!operation.prepare || literal === undefined) {
    if (operation.needsLiteral) throw new Error(`${operation.name} without its literal`)
    return undefined
  }
  const ready = operation.prepare(literal)
  if (typeof ready === 'string') throw new Error(ready)
  return ready
}

function compilePrepared(call: Call, { apply, size, set }: PreparedOperation): Evaluator {
  const { cost } = call
  const { memory, countsSteps } = call.scope
  const { run, slot } = call.first
  const fail = compileFailure(call)
  if (countsSteps) {
    return () => {
      const value = run()
      if (!spendSteps(memory, cost(measureValueSize(value), size))) return fail()
      return apply(value) ?? fail()
    }
  }
  const { cells } = memory
  if (set && slot !== undefined) return () => set.has(cells[slot] as ScalarValue)
  if (slot !== undefined) return () => apply(cells[slot] as ScalarValue) ?? fail()
  return () => apply(run()) ?? fail()
}

function compileApplied(call: Call): Evaluator {
  const { operation, first, second, cost, scope } = call
  const { memory, countsSteps } = scope
  const fail = compileFailure(call)
  const { cells } = memory
  const { answerSlot } = call
  const apply =
    answerSlot === undefined ? (memoizeApply(call) ?? operation.apply) : () => cells[answerSlot]
  if (countsSteps) {
    return () => {
      const a = first.run()
      const b = second.run()
      if (!spendSteps(memory, cost(measureValueSize(a), measureValueSize(b)))) return fail()
      return apply(a, b) ?? fail()
    }
  }
  const fast = compileFastTest(operation.id, [first, second], memory)
  if (fast) return fast
  const a = first.run
  const b = second.run
  return operation.canFail ? () => apply(a(), b()) ?? fail() : () => apply(a(), b()) as ScalarValue
}

/** Fails the rule, and returns a value of the operation's type, which is never used. */
function compileFailure({ operation, nameOfFailure, scope: { memory } }: Call): () => ScalarValue {
  const dummy = operation.result === 'bool' ? false : operation.result === 'string' ? '' : 0
  return () => {
    if (!memory.hasFailed) failRule(memory, nameOfFailure())
    return dummy
  }
}

/** An operation whose value for a name is computed once a run, for all rules. */
function memoizeApply({ operation, first, scope }: Call): Operation['apply'] | undefined {
  const { slot } = first
  if (!operation.isMemoized || slot === undefined) return undefined
  const { memory, memoizedOperations } = scope
  const key = `${operation.id} ${slot}`
  const known = memoizedOperations.get(key)
  if (known) return known
  const at = memoizedOperations.size
  const { memoized } = memory
  let run = -1
  const once = (): ScalarValue | undefined => {
    if (run !== memory.run) {
      run = memory.run
      // no value of an earlier run remains when it throws
      memoized[at] = undefined
      memoized[at] = operation.apply(memory.cells[slot] as ScalarValue, 0)
    }
    return memoized[at]
  }
  memoizedOperations.set(key, once)
  return once
}

/** A faster closure equal to the table's row, for operations that cannot fail; undefined when there is none. */
function compileFastTest(
  id: string,
  [first, second]: readonly [CompiledExpression, CompiledExpression],
  { cells }: Memory,
): Evaluator | undefined {
  const { slot } = first
  const { literal } = second
  const ofSlot = slotTests.get(id)
  if (ofSlot && slot !== undefined && literal !== undefined) return ofSlot(cells, slot, literal)
  return valueTests.get(id)?.(first.run, second.run)
}

type Cells = readonly unknown[]

/** By id of operation, the test of a name against a literal of the rule. */
const slotTests = new Map<string, (cells: Cells, slot: number, literal: Value) => Evaluator>([
  ['!', (cells, slot) => () => cells[slot] !== true],
  ['==', (cells, slot, literal) => () => cells[slot] === literal],
  ['!=', (cells, slot, literal) => () => cells[slot] !== literal],
  ['<', (cells, slot, literal) => () => (cells[slot] as Value) < literal],
  ['<=', (cells, slot, literal) => () => (cells[slot] as Value) <= literal],
  ['>', (cells, slot, literal) => () => (cells[slot] as Value) > literal],
  ['>=', (cells, slot, literal) => () => (cells[slot] as Value) >= literal],
  [
    'contains(string, string)',
    (cells, slot, literal) => () => (cells[slot] as string).includes(literal as string),
  ],
  [
    'startsWith(string, string)',
    (cells, slot, literal) => () => (cells[slot] as string).startsWith(literal as string),
  ],
  [
    'endsWith(string, string)',
    (cells, slot, literal) => () => (cells[slot] as string).endsWith(literal as string),
  ],
])

/** The same of two values that are computed. */
const valueTests = new Map<string, (a: Evaluator, b: Evaluator) => Evaluator>([
  ['!', (a) => () => a() !== true],
  ['==', (a, b) => () => a() === b()],
  ['!=', (a, b) => () => a() !== b()],
  ['<', (a, b) => () => a() < b()],
  ['<=', (a, b) => () => a() <= b()],
  ['>', (a, b) => () => a() > b()],
  ['>=', (a, b) => () => a() >= b()],
  ['contains(string, string)', (a, b) => () => (a() as string).includes(b() as string)],
])
