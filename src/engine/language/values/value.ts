/** Declares the types of values that rules compute with. */

import type { ValueType } from '../expression.ts'

/** Int, double, timestamp and duration are all numbers: their operators differ, not their form. */
export type Cell = string | number | boolean

export type Value = Cell | readonly Cell[]

/** A list is only an argument of an operator in a rule's text, never a value of its own. */
export type Type = ValueType | ListType

type ListType = `list<${ValueType}>`

/** How types are called in messages, as cel-go does. */
export function typeName(type: Type): string {
  return type.startsWith('list<') ? `list(${type.slice(5, -1)})` : type
}

/** The type of a list's items; undefined for what is no list. */
export function itemType(type: Type): ValueType | undefined {
  return type.startsWith('list<') ? (type.slice(5, -1) as ValueType) : undefined
}
