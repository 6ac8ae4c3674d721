/** Finds calls that are answered before the run: list lookups, `phoneCountry`. */

import {
  type CallNode,
  type Expression,
  inListId,
  phoneCountryId,
  visitNodes,
} from './expression.ts'
import { unparse } from './unparse.ts'

/** A call that is answered before the run. */
export interface AskedCall {
  /** The name of the answer in the evidence: the call in canonical text. */
  readonly name: string
  /** For `inList`: the list by the name that the rule writes. */
  readonly list: string | undefined
  /** The expression whose value the call is about. */
  readonly of: Expression
}

export type InListLookup = AskedCall & { readonly list: string }

/** The asked call that a node is; undefined for every other node. */
export function readAskedCall(node: Expression): AskedCall | undefined {
  if (node.kind !== 'call') return undefined
  if (node.operator === phoneCountryId) return buildAskedCall(node, undefined, node.args[0])
  if (node.operator !== inListId) return undefined
  const [list, of] = node.args
  const isNamed = list?.kind === 'literal' && typeof list.value === 'string'
  return isNamed ? buildAskedCall(node, String(list.value), of) : undefined
}

function buildAskedCall(
  node: CallNode,
  list: string | undefined,
  of: Expression | undefined,
): AskedCall | undefined {
  return of && { name: unparse(node), list, of }
}

/** The asked calls of a rule, each once, in order of appearance. */
export function listAskedCalls(expression: Expression): readonly AskedCall[] {
  const calls = new Map<string, AskedCall>()
  visitNodes(expression, (node) => {
    const call = readAskedCall(node)
    if (call) calls.set(call.name, call)
  })
  return [...calls.values()]
}

/** Those of them that are list lookups. */
export function listInListLookups(expression: Expression): readonly InListLookup[] {
  return listAskedCalls(expression).filter((call) => call.list !== undefined) as InListLookup[]
}

/** Whether a rule's text may contain an asked call: without one of the words it does not. */
export function mayAsk(text: string): boolean {
  return mayUseLists(text) || text.includes('phoneCountry')
}

/** Whether a rule's text may contain a list lookup: without the word it does not. */
export function mayUseLists(text: string): boolean {
  return text.includes('inList')
}
