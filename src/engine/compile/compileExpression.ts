/** Compiles an expression to closures, node by node. */

import { isCounterOperator } from '../language/counters.ts'
import type { CallNode, Expression, ListNode, LoopNode, ReadNode } from '../language/expression.ts'
import { charges } from '../language/operationCosts.ts'
import { ruleLimits } from '../language/ruleLimits.ts'
import type { ScalarValue, Value } from '../language/values/value.ts'
import { compileCounter } from './compileAskedCall.ts'
import { compileCall } from './compileCall.ts'
import type { CompileContext, CompiledExpression, Evaluator } from './compiledExpression.ts'
import { spendSteps } from './planMemory.ts'

/** Compiles the expression to run in the scope's memory. Throws on a node of another version of the language. */
export function compileExpression(node: Expression, scope: CompileContext): CompiledExpression {
  switch (node.kind) {
    case 'literal':
      return compileLiteral(node.value)
    case 'list':
      return compileList(node, scope)
    case 'read':
      return compileRead(node, scope)
    case 'has':
      return compileHas(scope, scope.slots.getOrAddSlot(node.name))
    case 'variable':
      return compileVariable(node.name, scope)
    case 'call':
      return compileAnyCall(node, scope)
    case 'exists':
    case 'all':
      return compileLoop(node, scope)
    default:
      throw new Error('an expression of another version of the language')
  }
}

function compileLiteral(value: ScalarValue): CompiledExpression {
  const size = typeof value === 'string' ? value.length : 0
  return { run: () => value, stepsMax: 0, sizeMax: size, literal: value }
}

function compileList({ items }: ListNode, scope: CompileContext): CompiledExpression {
  const compiled = items.map((item) => compileExpression(item, scope))
  const { memory, countsSteps } = scope
  const own = charges.parts.list + charges.parts.listItem * items.length
  const facts = {
    stepsMax: compiled.reduce((sum, item) => sum + item.stepsMax, own),
    sizeMax: items.length,
    itemSizeMax: Math.max(0, ...compiled.map(({ sizeMax }) => sizeMax)),
  }
  if (compiled.every((item) => item.literal !== undefined)) {
    const values = compiled.map((item) => item.literal as ScalarValue)
    return { ...facts, stepsMax: 0, run: () => values, literal: values }
  }
  const make = (): readonly ScalarValue[] => compiled.map((item) => item.run() as ScalarValue)
  return { ...facts, run: countsSteps ? () => (spendSteps(memory, own) ? make() : []) : make }
}

function compileRead(
  { name, convert }: ReadNode,
  { memory, slots }: CompileContext,
): CompiledExpression {
  const { cells } = memory
  const slot = slots.getOrAddSlot(name, convert)
  const size = convert === undefined ? ruleLimits.evidenceChars : 0
  // the reads of a rule are checked before it runs, so the cell is filled
  return { run: () => cells[slot] as ScalarValue, stepsMax: 0, sizeMax: size, slot }
}

function compileHas({ memory }: CompileContext, slot: number): CompiledExpression {
  const { cells } = memory
  return { run: () => cells[slot] !== undefined, stepsMax: charges.parts.has, sizeMax: 0 }
}

function compileVariable(name: string, { memory, variables }: CompileContext): CompiledExpression {
  const { locals } = memory
  const bound = variables.get(name)
  if (!bound) throw new Error(`a variable without its loop: ${name}`)
  const { local, size } = bound
  return { run: () => locals[local] as ScalarValue, stepsMax: 0, sizeMax: size }
}

function compileAnyCall(node: CallNode, scope: CompileContext): CompiledExpression {
  const args = node.args.map((arg) => compileExpression(arg, scope))
  if (node.operator === '&&' || node.operator === '||') {
    return compileLogic(node.operator, args, scope)
  }
  if (isCounterOperator(node.operator)) return compileCounter(node, args, scope)
  return node.operator === '?:' ? compileChoice(args, scope) : compileCall(node, args, scope)
}

function compileLogic(
  operator: '&&' | '||',
  args: readonly CompiledExpression[],
  { memory, countsSteps }: CompileContext,
): CompiledExpression {
  const runs = args.map(({ run }) => run)
  const run = compileChain(runs, operator === '||')
  const steps = charges.parts.operand * runs.length
  return {
    run: countsSteps ? () => spendSteps(memory, steps) && run() : run,
    stepsMax: args.reduce((sum, arg) => sum + arg.stepsMax, steps),
    sizeMax: 0,
  }
}

/** The closures of `condition ? one : other`. */
function compileChoice(
  args: readonly CompiledExpression[],
  { memory, countsSteps }: CompileContext,
): CompiledExpression {
  const [condition, one, other] = args
  if (!condition || !one || !other) throw new Error('a choice without its branches')
  const choose: Evaluator = () => (condition.run() === true ? one.run() : other.run())
  const counting: Evaluator = () => {
    spendSteps(memory, charges.parts.choice)
    return choose()
  }
  return {
    run: countsSteps ? counting : choose,
    stepsMax: charges.parts.choice + condition.stepsMax + Math.max(one.stepsMax, other.stepsMax),
    sizeMax: Math.max(one.sizeMax, other.sizeMax),
  }
}

/** The chain that ends at the first operand with the decisive value. */
function compileChain(runs: readonly Evaluator[], decisive: boolean): Evaluator {
  const [a, b, ...more] = runs
  if (a && b && more.length === 0) {
    return decisive ? () => a() === true || b() === true : () => a() === true && b() === true
  }
  return () => {
    for (const run of runs) if ((run() === true) === decisive) return decisive
    return !decisive
  }
}

function compileLoop(node: LoopNode, scope: CompileContext): CompiledExpression {
  const { memory, countsSteps } = scope
  const { parts } = charges
  const { locals } = memory
  const items = compileExpression(node.list, scope)
  if (items.itemSizeMax === undefined) throw new Error('a loop over something that is not a list')
  const local = scope.variables.size
  const bound = { local, size: items.itemSizeMax, list: node.list, variables: scope.variables }
  // a variable that hides an outer one of the same name still needs a local of its own
  const variables = new Map(scope.variables).set(node.variable, bound)
  if (variables.size === scope.variables.size) variables.set(` ${local}`, bound)
  const body = compileExpression(node.body, { ...scope, variables })
  const until = node.kind === 'exists'

  const holds = (item: Value): boolean => {
    locals[local] = item
    return body.run() === true
  }
  const test = countsSteps
    ? (item: Value) => spendSteps(memory, parts.loopItem) && holds(item)
    : holds
  const run = (): boolean => {
    for (const item of items.run() as readonly Value[]) {
      const value = test(item)
      if (memory.hasFailed) return false
      if (value === until) return until
    }
    return !until
  }
  return {
    run: countsSteps ? () => spendSteps(memory, parts.loop) && run() : run,
    stepsMax: parts.loop + items.stepsMax + items.sizeMax * (parts.loopItem + body.stepsMax),
    sizeMax: 0,
  }
}
