/** Declares the values and types that rules compute with, their sizes and type names. */

import type { Expression, ValueType } from '../expression.ts'

/** Int, double, timestamp and duration are all numbers: their operators differ, not their form. */
export type ScalarValue = string | number | boolean

export type Value = ScalarValue | readonly ScalarValue[]

/** A list is only an argument of an operator in a rule's text, never a value of its own. */
export type Type = ValueType | ListType

type ListType = `list<${ValueType}>`

/** Characters of a text, items of a list, 0 of all else. */
export function measureValueSize(value: Value | undefined): number {
  return typeof value === 'string' || Array.isArray(value) ? value.length : 0
}

/** The value of a literal, or of a list of literals. */
export function readLiteral(node: Expression | undefined): Value | undefined {
  if (node?.kind === 'literal') return node.value
  if (node?.kind !== 'list') return undefined
  const values = node.items.map((item) => (item.kind === 'literal' ? item.value : undefined))
  return values.every((value) => value !== undefined) ? values : undefined
}

/** How types are called in messages, as cel-go does. */
export function formatType(type: Type): string {
  return type.startsWith('list<') ? `list(${type.slice(5, -1)})` : type
}

/** The type of a list's items; undefined for what is no list. */
export function findItemType(type: Type): ValueType | undefined {
  return type.startsWith('list<') ? (type.slice(5, -1) as ValueType) : undefined
}
