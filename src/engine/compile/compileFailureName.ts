/** Compiles the search for the name in `blocked_by` when a part of a rule fails. */

import type { Expression, NameNode } from '../language/expression.ts'
import { type HasArrived, listReachedChildren } from '../language/presenceConditions.ts'
import type { CompileContext } from './compiledExpression.ts'

/** Returns the name to report after the subexpression has failed; undefined when no name is the cause. */
export type FailureName = () => string | undefined

/** The variables of the enclosing loops, each with its list. */
type BoundLists = ReadonlyMap<string, BoundList>

export interface BoundList {
  readonly list: Expression
  /** The variables that the list itself can use. */
  readonly variables: BoundLists
}

/**
 * The first name that the expression reads where guards allow; without one, the first that it checks with `has`; for an
 * expression without names, the same of the whole rule.
 */
export function compileFailureName(part: Expression, scope: CompileContext): FailureName {
  const { memory, slots, hasGuards, variables, rule } = scope
  const hasArrived = (name: string): boolean => memory.cells[slots.getOrAddSlot(name)] !== undefined
  const find = (): string | undefined => {
    const own = findFirstNames(listNames(part, variables, { hasArrived, searched: new Set() }))
    if (own.read !== undefined) return own.read
    const whole = findFirstNames(listNames(rule, new Map(), { hasArrived, searched: new Set() }))
    return own.asked ?? whole.read ?? whole.asked
  }
  if (hasGuards) return find
  const name = find()
  return () => name
}

/** The first name that is read, and the first before it that is checked with `has`. */
function findFirstNames(names: Iterable<NameNode>): { readonly read?: string; asked?: string } {
  const first: { asked?: string } = {}
  for (const { kind, name } of names) {
    if (kind === 'read') return { ...first, read: name }
    first.asked ??= name
  }
  return first
}

interface Search {
  readonly hasArrived: HasArrived
  /** The lists that were searched, each once: nested loops may use a variable often. */
  readonly searched: Set<BoundList>
}

/** The names in order of appearance; the variable of an enclosing loop counts as the names in its list. */
function* listNames(
  node: Expression,
  variables: BoundLists,
  search: Search,
): Generator<NameNode, void> {
  switch (node.kind) {
    case 'read':
    case 'has':
      yield node
      break
    case 'variable': {
      const bound = variables.get(node.name)
      if (!bound || search.searched.has(bound)) break
      search.searched.add(bound)
      yield* listNames(bound.list, bound.variables, search)
      break
    }
    case 'exists':
    case 'all': {
      yield* listNames(node.list, variables, search)
      // its own list has been searched, and hides others of its name
      const inBody = new Map(variables)
      inBody.delete(node.variable)
      yield* listNames(node.body, inBody, search)
      break
    }
    default:
      for (const child of listReachedChildren(node, search.hasArrived)) {
        yield* listNames(child, variables, search)
      }
  }
}
