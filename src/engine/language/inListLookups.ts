/** Lists the `inList` lookups of a rule: the list, and the value to find in it. */

import { type Expression, visitNodes } from './expression.ts'
import { inListId } from './operators/domainFunctions.ts'
import { unparse } from './unparse.ts'

/** A list, and the expression whose value is looked up in it. */
export interface InListLookup {
  /** The name of the answer in the evidence: the call in canonical text. */
  readonly name: string
  /** The list by the name that the rule writes. */
  readonly list: string
  readonly of: Expression
}

/** The lookup that a node is; undefined for every other node. */
export function readInListLookup(node: Expression): InListLookup | undefined {
  if (node.kind !== 'call' || node.operator !== inListId) return undefined
  const [list, of] = node.args
  if (list?.kind !== 'literal' || typeof list.value !== 'string' || !of) return undefined
  return { name: unparse(node), list: list.value, of }
}

/** The lookups of a rule, each once, in order of appearance. */
export function listInListLookups(expression: Expression): readonly InListLookup[] {
  const lookups = new Map<string, InListLookup>()
  visitNodes(expression, (node) => {
    const lookup = readInListLookup(node)
    if (lookup && !lookups.has(lookup.name)) lookups.set(lookup.name, lookup)
  })
  return [...lookups.values()]
}

/** Whether a rule's text may contain a lookup: without the word it does not. */
export function mayUseLists(text: string): boolean {
  return text.includes('inList')
}
