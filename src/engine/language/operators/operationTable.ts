/** Lists all operators and functions, and finds the overload for argument types. */

import { type ValueType, valueTypes } from '../expression.ts'
import { asInt, divideForRemainder, divideInts } from '../values/numbers.ts'
import { compareText } from '../values/text.ts'
import { asDuration, asTimestamp } from '../values/time.ts'
import { formatType, type ScalarValue, type Type, type Value } from '../values/value.ts'
import { celFunctions, timeFunctions } from './celFunctions.ts'
import { domainFunctions } from './domainFunctions.ts'
import { defineOperation, type Operation, type PreparedOperation } from './operation.ts'

const pairs: readonly (readonly [ValueType, ValueType])[] = [
  ...valueTypes.map((type) => [type, type] as const),
  ['int', 'double'],
  ['double', 'int'],
]

const equality: readonly Operation[] = pairs.flatMap(([a, b]) => [
  defineOperation(`==(${a}, ${b}): bool`, (x: ScalarValue, y: ScalarValue) => x === y, {
    id: '==',
  }),
  defineOperation(`!=(${a}, ${b}): bool`, (x: ScalarValue, y: ScalarValue) => x !== y, {
    id: '!=',
  }),
  defineOperation(`in(${a}, list<${b}>): bool`, contains, { id: 'in', prepare: prepareIn }),
])

const numberOrder: readonly Operation[] = pairs
  .filter(([a]) => a !== 'string')
  .flatMap(([a, b]) => [
    defineOperation(`<(${a}, ${b}): bool`, (x: number, y: number) => x < y, { id: '<' }),
    defineOperation(`<=(${a}, ${b}): bool`, (x: number, y: number) => x <= y, { id: '<=' }),
    defineOperation(`>(${a}, ${b}): bool`, (x: number, y: number) => x > y, { id: '>' }),
    defineOperation(`>=(${a}, ${b}): bool`, (x: number, y: number) => x >= y, { id: '>=' }),
  ])

const textOrder: readonly Operation[] = [
  defineOperation('<(string, string): bool', (a: string, b: string) => compareText(a, b) < 0),
  defineOperation('<=(string, string): bool', (a: string, b: string) => compareText(a, b) <= 0),
  defineOperation('>(string, string): bool', (a: string, b: string) => compareText(a, b) > 0),
  defineOperation('>=(string, string): bool', (a: string, b: string) => compareText(a, b) >= 0),
]

const fails = { canFail: true }
const shifted = (a: number, b: number) => asTimestamp(a + b)
const difference = (a: number, b: number) => asDuration(a - b)

const arithmetic: readonly Operation[] = [
  defineOperation('+(int, int): int', (a: number, b: number) => asInt(a + b), fails),
  defineOperation('-(int, int): int', (a: number, b: number) => asInt(a - b), fails),
  defineOperation('*(int, int): int', (a: number, b: number) => asInt(a * b), fails),
  defineOperation('/(int, int): int', divideInts, fails),
  defineOperation('%(int, int): int', divideForRemainder, fails),
  defineOperation('-(int): int', (a: number) => 0 - a),
  defineOperation('+(double, double): double', (a: number, b: number) => a + b),
  defineOperation('-(double, double): double', (a: number, b: number) => a - b),
  defineOperation('*(double, double): double', (a: number, b: number) => a * b),
  defineOperation('/(double, double): double', (a: number, b: number) => a / b),
  defineOperation('-(double): double', (a: number) => -a),
  defineOperation('+(string, string): string', (a: string, b: string) => a + b, {
    chars: (a, b) => a + b,
  }),
  defineOperation('+(timestamp, duration): timestamp', shifted, fails),
  defineOperation('+(duration, timestamp): timestamp', shifted, fails),
  defineOperation(
    '+(duration, duration): duration',
    (a: number, b: number) => asDuration(a + b),
    fails,
  ),
  defineOperation('-(timestamp, timestamp): duration', difference, fails),
  defineOperation(
    '-(timestamp, duration): timestamp',
    (a: number, b: number) => asTimestamp(a - b),
    fails,
  ),
  defineOperation('-(duration, duration): duration', difference, fails),
]

/** Every operator and function, by the types it takes. */
export const operations: readonly Operation[] = [
  defineOperation('!(bool): bool', (a: boolean) => !a, { id: '!' }),
  ...equality,
  ...numberOrder,
  ...textOrder,
  ...arithmetic,
  ...celFunctions,
  ...domainFunctions,
]

const bySignature = new Map(operations.map((row) => [`${row.name}(${row.params.join(', ')})`, row]))
const byId = new Map(operations.map((row) => [row.id, row]))
const names = new Set(operations.map((row) => row.name))

/** Call styles as in CEL: `size(x)`, `x.contains(y)`, or either. */
const receivers: ReadonlyMap<string, 'receiver' | 'either'> = new Map([
  ['size', 'either'],
  ['matches', 'either'],
  ...['contains', 'startsWith', 'endsWith', 'lowerAscii', 'upperAscii'].map(
    (name) => [name, 'receiver'] as const,
  ),
  ...timeFunctions.map(({ name }) => [name, 'receiver'] as const),
])

/** The names of all functions, operators apart. */
export const functionNames: readonly string[] = [...names].filter((name) => /^\w{3}/.test(name))

export function isFunctionOrOperator(name: string): boolean {
  return names.has(name)
}

export function findCallStyle(name: string): 'function' | 'receiver' | 'either' {
  return receivers.get(name) ?? 'function'
}

/** The row for arguments of these types; undefined when there is none. */
export function findOperation(name: string, types: readonly Type[]): Operation | undefined {
  return bySignature.get(`${name}(${types.join(', ')})`)
}

/** The row by its id in a stored expression; undefined for an operator of another version. */
export function findOperationById(id: string): Operation | undefined {
  return byId.get(id)
}

/** The parameter types of the rows of a name, for messages; only those with `count` arguments when given. */
export function listSignatures(name: string, count?: number): readonly string[] {
  return operations
    .filter((row) => row.name === name && row.params.length === (count ?? row.params.length))
    .map((row) => `(${row.params.map(formatType).join(', ')})`)
}

function contains(value: ScalarValue, items: readonly ScalarValue[]): boolean {
  for (const item of items) if (item === value) return true
  return false
}

function prepareIn(literal: Value): PreparedOperation {
  const set: ReadonlySet<Value> = new Set(literal as readonly ScalarValue[])
  return { set, apply: (value) => set.has(value), size: set.size }
}
