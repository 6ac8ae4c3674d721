/** From expression to closures. */

import type { PartCharges } from '../language/charges/charge.ts'
import type { CallNode, Expression, ListNode, ReadNode } from '../language/expression.ts'
import { limits } from '../language/limits.ts'
import type { Cell } from '../language/values/value.ts'
import { compileCall } from './compileCall.ts'
import type { Compiled, Scope } from './compiled.ts'
import { compileChoice, compileLogic } from './compileLogic.ts'
import { compileLoop } from './compileLoop.ts'
import { spend } from './memory.ts'

/** Makes the expression ready to run in the scope's memory. Throws on a node that is not of this version of the language. */
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
      return compileLoop(node, scope, compileExpression)
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
  const own = listSteps(charges.parts, items.length)
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

function listSteps({ list: base, listItem }: PartCharges, items: number): number {
  return base + listItem * items
}

function read({ name, convert }: ReadNode, { memory, slots }: Scope): Compiled {
  const { cells } = memory
  const slot = slots.slotOf(name, convert)
  const size = convert === undefined ? limits.evidenceChars : 0
  // the reads of a rule are looked at before it runs, so the cell is filled
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
