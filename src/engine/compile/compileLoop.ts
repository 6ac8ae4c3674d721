/** `exists` and `all`: one item after the other, until the answer is known. */

import type { Expression, LoopNode } from '../language/expression.ts'
import type { Value } from '../language/values/value.ts'
import type { Compiled, Scope } from './compiled.ts'
import { spend } from './memory.ts'

/** The closures of a loop; `compile` makes those of its list and body. */
export function compileLoop(
  node: LoopNode,
  scope: Scope,
  compile: (node: Expression, scope: Scope) => Compiled,
): Compiled {
  const { memory, counted } = scope
  const { parts } = scope.semantics.charges
  const { locals } = memory
  const list = compile(node.list, scope)
  if (list.itemSize === undefined) throw new Error('a loop over something that is not a list')
  const local = scope.variables.size
  const bound = {
    local,
    size: list.itemSize,
    list: node.list,
    variables: scope.variables,
  }
  // a variable that hides an outer one of the same name still needs a place of its own
  const variables = new Map(scope.variables).set(node.variable, bound)
  if (variables.size === scope.variables.size) variables.set(` ${local}`, bound)
  const body = compile(node.body, { ...scope, variables })
  const until = node.kind === 'exists'

  const holds = (item: Value): boolean => {
    locals[local] = item
    return body.run() === true
  }
  const look = counted ? (item: Value) => spend(memory, parts.loopItem) && holds(item) : holds
  const run = (): boolean => {
    for (const item of list.run() as readonly Value[]) {
      const held = look(item)
      if (memory.failed) return false
      if (held === until) return until
    }
    return !until
  }
  return {
    run: counted ? () => spend(memory, parts.loop) && run() : run,
    steps: parts.loop + list.steps + list.size * (parts.loopItem + body.steps),
    size: 0,
  }
}
