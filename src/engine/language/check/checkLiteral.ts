/** Type-checks literals of a rule: numbers, texts, lists. */

import type { ValueType } from '../expression.ts'
import { limits } from '../limits.ts'
import type { Spot, Syntax } from '../problem.ts'
import { itemType, typeName } from '../values/value.ts'
import { type Checking, checkAll, complain, spotOf, type Typed } from './checking.ts'

/** A literal other than an integer, checked. */
export function checkLiteral(
  syntax: Extract<Syntax, { kind: 'literal' }>,
  checking: Checking,
): Typed | undefined {
  const { type, value, at } = syntax
  if (typeof value === 'string' && value.length > limits.literalChars) {
    return complain(checking, syntax, `the text is longer than ${limits.literalChars} characters`)
  }
  return { node: { kind: 'literal', type, value, at }, type }
}

/** An integer, its sign included, checked: ints are exact only up to 2^53 - 1. */
export function checkInteger(value: bigint, spot: Spot, checking: Checking): Typed | undefined {
  if (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER) {
    return complain(checking, spot, `the int ${value} is beyond 9007199254740991 (2^53 - 1)`)
  }
  return { node: { kind: 'literal', type: 'int', value: Number(value), at: spot.at }, type: 'int' }
}

/** A list, checked: its items are of one type and no lists. */
export function checkList(
  syntax: Extract<Syntax, { kind: 'list' }>,
  checking: Checking,
): Typed | undefined {
  const { items, at } = syntax
  if (items.length === 0) return complain(checking, syntax, 'the list is empty')
  if (items.length > limits.listItems) {
    return complain(checking, syntax, `the list has more than ${limits.listItems} items`)
  }
  const typed = checkAll(items, checking)
  const first = typed?.[0]
  if (!typed || !first) return undefined
  const odd = typed.find(({ type }) => type !== first.type)
  if (odd) {
    const types = `${typeName(first.type)} and ${typeName(odd.type)}`
    return complain(
      checking,
      spotOf(checking, odd.node),
      `the items of a list must be of one type, not ${types}`,
    )
  }
  if (itemType(first.type)) {
    return complain(checking, spotOf(checking, first.node), 'a list cannot hold lists')
  }
  return {
    node: { kind: 'list', items: typed.map(({ node }) => node), at },
    type: `list<${first.type as ValueType}>`,
  }
}
