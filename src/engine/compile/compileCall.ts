/** Compiles calls of operators and functions to closures. */

import type { CallNode } from '../language/expression.ts'
import { type CostFunction, preparedId } from '../language/operationCosts.ts'
import { inListId } from '../language/operators/domainFunctions.ts'
import type { Operation, PreparedOperation } from '../language/operators/operation.ts'
import { findOperationById } from '../language/operators/operationTable.ts'
import { hasSameOrderInUtf16 } from '../language/values/text.ts'
import { measureValueSize, type ScalarValue } from '../language/values/value.ts'
import type { CompileContext, CompiledExpression, Evaluator } from './compiledExpression.ts'
import { compileFailureName, type FailureName } from './compileFailureName.ts'
import { compileLookup } from './compileLookup.ts'
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
  if (operation.id === inListId && second) return compileLookup(node, second, scope)
  const nameOfFailure = compileFailureName(node, scope)
  const ready = prepared(operation, args)
  const { charges } = scope.semantics
  const cost = charges.requireCost(ready ? preparedId(operation.id) : operation.id)
  const call: Call = { operation, first, second: second ?? nothing, nameOfFailure, cost, scope }
  const own = cost(first.sizeMax, ready ? ready.size : call.second.sizeMax)
  return {
    run: ready ? runPrepared(call, ready) : runApplied(call),
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
  readonly cost: CostFunction
  readonly scope: CompileContext
}

const nothing: CompiledExpression = { run: () => 0, stepsMax: 0, sizeMax: 0, literal: 0 }

function prepared(
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

function runPrepared(call: Call, { apply, size, set }: PreparedOperation): Evaluator {
  const { cost } = call
  const { memory, countsSteps } = call.scope
  const { run, slot } = call.first
  const failed = failing(call)
  if (countsSteps) {
    return () => {
      const value = run()
      if (!spendSteps(memory, cost(measureValueSize(value), size))) return failed.dummy
      return apply(value) ?? failed.answer()
    }
  }
  const { cells } = memory
  if (set && slot !== undefined) return () => set.has(cells[slot] as ScalarValue)
  if (slot !== undefined) return () => apply(cells[slot] as ScalarValue) ?? failed.answer()
  return () => apply(run()) ?? failed.answer()
}

function runApplied(call: Call): Evaluator {
  const { operation, first, second, cost, scope } = call
  const { memory, countsSteps } = scope
  const failed = failing(call)
  const apply = sharedApply(call) ?? operation.apply
  if (countsSteps) {
    return () => {
      const a = first.run()
      const b = second.run()
      if (!spendSteps(memory, cost(measureValueSize(a), measureValueSize(b)))) return failed.dummy
      return apply(a, b) ?? failed.answer()
    }
  }
  const fast = fastCall(operation.id, [first, second], memory)
  if (fast) return fast
  const a = first.run
  const b = second.run
  return operation.canFail
    ? () => apply(a(), b()) ?? failed.answer()
    : () => apply(a(), b()) as ScalarValue
}

interface Failing {
  /** The value returned after a failure, which is never used. */
  readonly dummy: ScalarValue
  readonly answer: () => ScalarValue
}

function failing({ operation, nameOfFailure, scope }: Call): Failing {
  const dummy = dummies[operation.result] ?? 0
  const answer = (): ScalarValue => {
    if (!scope.memory.hasFailed) failRule(scope.memory, nameOfFailure())
    return dummy
  }
  return { dummy, answer }
}

const dummies: Readonly<Partial<Record<string, ScalarValue>>> = Object.freeze({
  bool: false,
  string: '',
})

/** An operation whose value for a name is computed once a run, for all rules. */
function sharedApply({
  operation,
  first,
  scope,
}: Call): (() => ScalarValue | undefined) | undefined {
  const { slot } = first
  if (!operation.isMemoized || slot === undefined) return undefined
  const { memory, memoizedOperations: shared } = scope
  const key = `${operation.id} ${slot}`
  const known = shared.get(key)
  if (known) return known as () => ScalarValue | undefined
  let run = -1
  let value: ScalarValue | undefined
  const once = (): ScalarValue | undefined => {
    if (run !== memory.run) {
      run = memory.run
      // no value of an earlier run remains when it throws
      value = undefined
      value = operation.apply(memory.cells[slot] as ScalarValue, 0)
    }
    return value
  }
  shared.set(key, once)
  return once
}

/** A faster closure equal to the table's row, for operations that cannot fail; undefined when there is none. */
function fastCall(
  id: string,
  [first, second]: readonly [CompiledExpression, CompiledExpression],
  { cells }: Memory,
): Evaluator | undefined {
  const { slot } = first
  const { literal } = second
  if (slot !== undefined && literal !== undefined && !Array.isArray(literal)) {
    const fast = nameAgainstLiteral(id, { cells, slot }, literal as ScalarValue)
    if (fast) return fast
  }
  const { run: a } = first
  const { run: b } = second
  return id.endsWith('(string, string)') ? ofTexts(id, [a, b], literal) : ofAny(id, a, b)
}

interface Slot {
  readonly cells: readonly (ScalarValue | undefined)[]
  readonly slot: number
}

function nameAgainstLiteral(id: string, place: Slot, literal: ScalarValue): Evaluator | undefined {
  const { cells, slot } = place
  if (id === '!') return () => cells[slot] !== true
  if (id === '==') return () => cells[slot] === literal
  if (id === '!=') return () => cells[slot] !== literal
  if (typeof literal === 'number') return numberAgainstLiteral(id, place, literal)
  return typeof literal === 'string' ? textAgainstLiteral(id, place, literal) : undefined
}

function numberAgainstLiteral(id: string, { cells, slot }: Slot, n: number): Evaluator | undefined {
  switch (id) {
    case '<':
      return () => (cells[slot] as number) < n
    case '<=':
      return () => (cells[slot] as number) <= n
    case '>':
      return () => (cells[slot] as number) > n
    case '>=':
      return () => (cells[slot] as number) >= n
    default:
      return undefined
  }
}

function textAgainstLiteral(
  id: string,
  { cells, slot }: Slot,
  text: string,
): Evaluator | undefined {
  switch (id) {
    case 'contains(string, string)':
      return () => (cells[slot] as string).includes(text)
    case 'startsWith(string, string)':
      return () => (cells[slot] as string).startsWith(text)
    case 'endsWith(string, string)':
      return () => (cells[slot] as string).endsWith(text)
    default:
      return undefined
  }
}

function ofTexts(
  id: string,
  [a, b]: readonly [Evaluator, Evaluator],
  literal: CompiledExpression['literal'],
): Evaluator | undefined {
  if (id === 'contains(string, string)') return () => (a() as string).includes(b() as string)
  // without characters above the surrogates on one side, units and code points give the same order
  if (typeof literal !== 'string' || !hasSameOrderInUtf16(literal)) return undefined
  const symbol = id.slice(0, id.indexOf('('))
  return /^[<>]=?$/.test(symbol) ? ofAny(symbol, a, b) : undefined
}

function ofAny(id: string, a: Evaluator, b: Evaluator): Evaluator | undefined {
  switch (id) {
    case '!':
      return () => a() !== true
    case '==':
      return () => a() === b()
    case '!=':
      return () => a() !== b()
    case '<':
      return () => a() < b()
    case '<=':
      return () => a() <= b()
    case '>':
      return () => a() > b()
    case '>=':
      return () => a() >= b()
    default:
      return undefined
  }
}
