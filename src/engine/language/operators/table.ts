/** The table of operators and functions: which exist, and which row a call means. */

import { type Type, typeName } from '../values/value.ts'
import { arithmetic } from './arithmetic.ts'
import { comparison } from './comparison.ts'
import { conversion } from './conversion.ts'
import { domainFunctions } from './domainFunctions.ts'
import { listFunctions } from './listFunctions.ts'
import type { Operation } from './operation.ts'
import { texts } from './texts.ts'
import { times } from './times.ts'

/** Every operator and function, by the types it takes. */
export const operations: readonly Operation[] = [
  ...comparison,
  ...arithmetic,
  ...texts,
  ...conversion,
  ...times,
  ...domainFunctions,
  ...listFunctions,
]

const bySignature = new Map(operations.map((row) => [`${row.name}(${row.params.join(', ')})`, row]))
const byId = new Map(operations.map((row) => [row.id, row]))
const names = new Set(operations.map((row) => row.name))

/** How a function may be written, as in CEL: `size(x)`, `x.contains(y)`, or either. */
const receivers: ReadonlyMap<string, 'receiver' | 'either'> = new Map([
  ['size', 'either'],
  ['matches', 'either'],
  ...['contains', 'startsWith', 'endsWith', 'lowerAscii', 'upperAscii'].map(
    (name) => [name, 'receiver'] as const,
  ),
  ...times.map(({ name }) => [name, 'receiver'] as const),
])

/** The names of all functions, operators apart. */
export const functionNames: readonly string[] = [...names].filter((name) => /^\w{3}/.test(name))

/** Whether an operator or function of this name exists. */
export function isKnown(name: string): boolean {
  return names.has(name)
}

/** How the function is written. */
export function styleOf(name: string): 'function' | 'receiver' | 'either' {
  return receivers.get(name) ?? 'function'
}

/** The row for arguments of these types; undefined when there is none. */
export function findOperation(name: string, types: readonly Type[]): Operation | undefined {
  return bySignature.get(`${name}(${types.join(', ')})`)
}

/** The row that a stored expression names; undefined for an operator of another time. */
export function operationOf(id: string): Operation | undefined {
  return byId.get(id)
}

/** The types each row of a name takes, of those with so many arguments, for messages. */
export function signaturesOf(name: string, count?: number): readonly string[] {
  return operations
    .filter((row) => row.name === name && row.params.length === (count ?? row.params.length))
    .map((row) => `(${row.params.map(typeName).join(', ')})`)
}
