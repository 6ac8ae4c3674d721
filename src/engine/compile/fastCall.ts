/** Closures for the calls that rules are mostly made of: a name against a literal, and comparisons of any two values. */

import { ordersByUnits } from '../language/values/text.ts'
import type { Cell } from '../language/values/value.ts'
import type { Compiled, Thunk } from './compiled.ts'
import type { Memory } from './memory.ts'

/**
 * A closure that gives what the table's row would give, with fewer calls on the way; undefined where there is none. Only for
 * operations that cannot fail.
 */
export function fastCall(
  id: string,
  [first, second]: readonly [Compiled, Compiled],
  { cells }: Memory,
): Thunk | undefined {
  const { slot } = first
  const { literal } = second
  if (slot !== undefined && literal !== undefined && !Array.isArray(literal)) {
    const made = nameAgainstLiteral(id, { cells, slot }, literal as Cell)
    if (made) return made
  }
  const { run: a } = first
  const { run: b } = second
  return id.endsWith('(string, string)') ? ofTexts(id, [a, b], literal) : ofAny(id, a, b)
}

interface Place {
  readonly cells: readonly (Cell | undefined)[]
  readonly slot: number
}

function nameAgainstLiteral(id: string, place: Place, literal: Cell): Thunk | undefined {
  const { cells, slot } = place
  if (id === '!') return () => cells[slot] !== true
  if (id === '==') return () => cells[slot] === literal
  if (id === '!=') return () => cells[slot] !== literal
  if (typeof literal === 'number') return numberAgainstLiteral(id, place, literal)
  return typeof literal === 'string' ? textAgainstLiteral(id, place, literal) : undefined
}

function numberAgainstLiteral(id: string, { cells, slot }: Place, n: number): Thunk | undefined {
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

function textAgainstLiteral(id: string, { cells, slot }: Place, text: string): Thunk | undefined {
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
  [a, b]: readonly [Thunk, Thunk],
  literal: Compiled['literal'],
): Thunk | undefined {
  if (id === 'contains(string, string)') return () => (a() as string).includes(b() as string)
  // without characters above the surrogates on one side, units and code points give the same order
  if (typeof literal !== 'string' || !ordersByUnits(literal)) return undefined
  const symbol = id.slice(0, id.indexOf('('))
  return /^[<>]=?$/.test(symbol) ? ofAny(symbol, a, b) : undefined
}

function ofAny(id: string, a: Thunk, b: Thunk): Thunk | undefined {
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
