/** Equality, order and membership. Values of one type compare with each other; ints and doubles also among themselves. */

import type { ValueType } from '../expression.ts'
import { compareText } from '../values/text.ts'
import type { Cell, Value } from '../values/value.ts'
import { type Operation, operation, type Prepared } from './operation.ts'

const types: readonly ValueType[] = ['bool', 'int', 'double', 'string', 'timestamp', 'duration']
const pairs: readonly (readonly [ValueType, ValueType])[] = [
  ...types.map((type) => [type, type] as const),
  ['int', 'double'],
  ['double', 'int'],
]

const equality: readonly Operation[] = pairs.flatMap(([a, b]) => [
  operation(`==(${a}, ${b}): bool`, (x: Cell, y: Cell) => x === y, { id: '==' }),
  operation(`!=(${a}, ${b}): bool`, (x: Cell, y: Cell) => x !== y, { id: '!=' }),
  operation(`in(${a}, list<${b}>): bool`, holds, { id: 'in', prepare: prepareIn }),
])

const numberOrder: readonly Operation[] = pairs
  .filter(([a]) => a !== 'string')
  .flatMap(([a, b]) => [
    operation(`<(${a}, ${b}): bool`, (x: number, y: number) => x < y, { id: '<' }),
    operation(`<=(${a}, ${b}): bool`, (x: number, y: number) => x <= y, { id: '<=' }),
    operation(`>(${a}, ${b}): bool`, (x: number, y: number) => x > y, { id: '>' }),
    operation(`>=(${a}, ${b}): bool`, (x: number, y: number) => x >= y, { id: '>=' }),
  ])

const textOrder: readonly Operation[] = [
  operation('<(string, string): bool', (a: string, b: string) => compareText(a, b) < 0),
  operation('<=(string, string): bool', (a: string, b: string) => compareText(a, b) <= 0),
  operation('>(string, string): bool', (a: string, b: string) => compareText(a, b) > 0),
  operation('>=(string, string): bool', (a: string, b: string) => compareText(a, b) >= 0),
]

export const comparison: readonly Operation[] = [
  operation('!(bool): bool', (a: boolean) => !a, { id: '!' }),
  ...equality,
  ...numberOrder,
  ...textOrder,
]

function holds(value: Cell, items: readonly Cell[]): boolean {
  for (const item of items) if (item === value) return true
  return false
}

function prepareIn(literal: Value): Prepared {
  const set: ReadonlySet<Value> = new Set(literal as readonly Cell[])
  return { set, apply: (value) => set.has(value), size: set.size }
}
