/** `exists` and `all` over a list written in the rule. */

import { nameRoots } from '../names.ts'
import { itemType } from '../values/value.ts'
import {
  type Checking,
  complain,
  complainOfType,
  type FunctionSyntax,
  type Typed,
} from './checking.ts'

/** A loop, checked: `[…].exists(x, condition)`. */
export function checkLoop(
  kind: 'exists' | 'all',
  syntax: FunctionSyntax,
  checking: Checking,
): Typed | undefined {
  const { receiver, args, at } = syntax
  const [listSyntax, variable, bodySyntax] = args
  if (!receiver || listSyntax?.kind !== 'list' || !bodySyntax || args.length > 3) {
    return complain(
      checking,
      syntax,
      `${kind} is written ["a", "b"].${kind}(x, …) over a list in the rule`,
    )
  }
  if (variable?.kind !== 'name' || nameRoots.has(variable.name)) {
    return complain(checking, variable ?? syntax, `${kind} needs a variable of its own first`)
  }
  const list = checking.check(listSyntax, checking)
  const type = list && itemType(list.type)
  if (!list || !type) return undefined
  const variables = new Map(checking.variables).set(variable.name, type)
  const body = checking.check(bodySyntax, { ...checking, variables })
  if (!body) return undefined
  if (body.type !== 'bool') return complainOfType(checking, body, 'bool')
  const node = { kind, variable: variable.name, list: list.node, body: body.node, at } as const
  return { node, type: 'bool' }
}
