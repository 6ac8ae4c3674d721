/** Compiles an expression to closures, node by node. */

import type { CallNode, Expression, ListNode, LoopNode, ReadNode } from '../language/expression.ts'
import { limits } from '../language/limits.ts'
import type { Cell, Value } from '../language/values/value.ts'
import { compileCall } from './compileCall.ts'
import type { Compiled, Scope, Thunk } from './compiledExpression.ts'
import { spend } from './planMemory.ts'

/** Compiles the expression to run in the scope's memory. Throws on a node of another version of the language. */
export function compileExpression(node: Expression, scope: Scope): Compiled {
  switch (node.kind) {
    case 'literal':
      return literal(node.value)
    case 'list':
      return list(node, scope)
    case 'read':
      return read(node, scope)
    case 'has':
      return has(scope, scope.slots.slotOf(node.name))
    case 'variable':
      return variable(node.name, scope)
    case 'call':
      return call(node, scope)
    case 'exists':
    case 'all':
      return loop(node, scope)
    default:
      throw new Error('an expression of another version of the language')
  }
}

function literal(value: Cell): Compiled {
  const size = typeof value === 'string' ? value.length : 0
  return { run: () => value, steps: 0, size, literal: value }
}

function list({ items }: ListNode, scope: Scope): Compiled {
  const compiled = items.map((item) => compileExpression(item, scope))
  const { memory, counted, semantics } = scope
  const { charges } = semantics
  const own = charges.parts.list + charges.parts.listItem * items.length
  const facts = {
    steps: compiled.reduce((sum, item) => sum + item.steps, own),
    size: items.length,
    itemSize: Math.max(0, ...compiled.map(({ size }) => size)),
  }
  if (compiled.every((item) => item.literal !== undefined)) {
    const values = compiled.map((item) => item.literal as Cell)
    return { ...facts, steps: 0, run: () => values, literal: values }
  }
  const make = (): readonly Cell[] => compiled.map((item) => item.run() as Cell)
  return { ...facts, run: counted ? () => (spend(memory, own) ? make() : []) : make }
}

function read({ name, convert }: ReadNode, { memory, slots }: Scope): Compiled {
  const { cells } = memory
  const slot = slots.slotOf(name, convert)
  const size = convert === undefined ? limits.evidenceChars : 0
  // the reads of a rule are checked before it runs, so the cell is filled
  return { run: () => cells[slot] as Cell, steps: 0, size, slot }
}

function has({ memory, semantics }: Scope, slot: number): Compiled {
  const { cells } = memory
  return { run: () => cells[slot] !== undefined, steps: semantics.charges.parts.has, size: 0 }
}

function variable(name: string, { memory, variables }: Scope): Compiled {
  const { locals } = memory
  const bound = variables.get(name)
  if (!bound) throw new Error(`a variable without its loop: ${name}`)
  const { local, size } = bound
  return { run: () => locals[local] as Cell, steps: 0, size }
}

function call(node: CallNode, scope: Scope): Compiled {
  const args = node.args.map((arg) => compileExpression(arg, scope))
  if (node.operator === '&&' || node.operator === '||') {
    return compileLogic(node.operator, args, scope)
  }
  return node.operator === '?:' ? compileChoice(args, scope) : compileCall(node, args, scope)
}

/** The closures of a chain of `&&` or `||`. */
function compileLogic(
  operator: '&&' | '||',
  args: readonly Compiled[],
  { memory, counted, semantics: { charges } }: Scope,
): Compiled {
  const runs = args.map(({ run }) => run)
  const run = operator === '&&' ? conjunction(runs) : disjunction(runs)
  const steps = charges.parts.operand * runs.length
  return {
    run: counted ? () => spend(memory, steps) && run() : run,
    steps: args.reduce((sum, arg) => sum + arg.steps, steps),
    size: 0,
  }
}

/** The closures of `condition ? one : other`. */
function compileChoice(
  args: readonly Compiled[],
  { memory, counted, semantics: { charges } }: Scope,
): Compiled {
  const [condition, one, other] = args
  if (!condition || !one || !other) throw new Error('a choice without its branches')
  const choose: Thunk = () => (condition.run() === true ? one.run() : other.run())
  const counting: Thunk = () => {
    spend(memory, charges.parts.choice)
    return choose()
  }
  return {
    run: counted ? counting : choose,
    steps: charges.parts.choice + condition.steps + Math.max(one.steps, other.steps),
    size: Math.max(one.size, other.size),
  }
}

function conjunction(runs: readonly Thunk[]): Thunk {
  const [a, b, c, ...more] = runs
  if (a && b && !c) return () => a() === true && b() === true
  if (a && b && c && more.length === 0) return () => a() === true && b() === true && c() === true
  return () => {
    for (const run of runs) if (run() !== true) return false
    return true
  }
}

function disjunction(runs: readonly Thunk[]): Thunk {
  const [a, b, c, ...more] = runs
  if (a && b && !c) return () => a() === true || b() === true
  if (a && b && c && more.length === 0) return () => a() === true || b() === true || c() === true
  return () => {
    for (const run of runs) if (run() === true) return true
    return false
  }
}

function loop(node: LoopNode, scope: Scope): Compiled {
  const { memory, counted } = scope
  const { parts } = scope.semantics.charges
  const { locals } = memory
  const items = compileExpression(node.list, scope)
  if (items.itemSize === undefined) throw new Error('a loop over something that is not a list')
  const local = scope.variables.size
  const bound = { local, size: items.itemSize, list: node.list, variables: scope.variables }
  // a variable that hides an outer one of the same name still needs a local of its own
  const variables = new Map(scope.variables).set(node.variable, bound)
  if (variables.size === scope.variables.size) variables.set(` ${local}`, bound)
  const body = compileExpression(node.body, { ...scope, variables })
  const until = node.kind === 'exists'

  const holds = (item: Value): boolean => {
    locals[local] = item
    return body.run() === true
  }
  const test = counted ? (item: Value) => spend(memory, parts.loopItem) && holds(item) : holds
  const run = (): boolean => {
    for (const item of items.run() as readonly Value[]) {
      const value = test(item)
      if (memory.failed) return false
      if (value === until) return until
    }
    return !until
  }
  return {
    run: counted ? () => spend(memory, parts.loop) && run() : run,
    steps: parts.loop + items.steps + items.size * (parts.loopItem + body.steps),
    size: 0,
  }
}
