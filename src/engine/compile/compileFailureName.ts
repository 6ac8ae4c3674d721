/** Compiles the search for the name in `blocked_by` when a part of a rule fails. */

import { type Expression, listChildren } from '../language/expression.ts'
import { findUnreachableNodes } from '../language/presenceConditions.ts'
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
 * The first name that the expression reads where guards allow; without one, the first that it checks with `has`; for an expression
 * without names, the same of the whole rule.
 */
export function compileFailureName(part: Expression, scope: CompileContext): FailureName {
  const { memory, slots, hasGuards } = scope
  if (!hasGuards) {
    const name = findFailureName(part, scope, () => new Set())
    return () => name
  }
  const arrived = (name: string): boolean => memory.cells[slots.slotOf(name)] !== undefined
  return () => findFailureName(part, scope, (node) => findUnreachableNodes(node, arrived))
}

type UnreachedIn = (part: Expression) => ReadonlySet<Expression>

function findFailureName(
  part: Expression,
  { variables, rule }: CompileContext,
  unreachedIn: UnreachedIn,
): string | undefined {
  const own: Search = { unreachedIn, searched: new Set() }
  searchNames(part, variables, own)
  if (own.read !== undefined) return own.read
  const whole: Search = { unreachedIn, searched: new Set() }
  searchNames(rule, new Map(), whole)
  return own.asked ?? whole.read ?? whole.asked
}

interface Search {
  readonly unreachedIn: UnreachedIn
  /** The lists of loops that were searched. */
  readonly searched: Set<BoundList>
  /** The first name that is read, and the first that is checked with `has`. */
  read?: string
  asked?: string
}

/** Finds names in order of appearance; the variable of an enclosing loop counts as the names in its list. */
function searchNames(root: Expression, variables: BoundLists, search: Search): void {
  const unreached = search.unreachedIn(root)
  const visit = (node: Expression, visible: BoundLists): void => {
    if (search.read !== undefined || unreached.has(node)) return
    switch (node.kind) {
      case 'read':
        search.read = node.name
        break
      case 'has':
        search.asked ??= node.name
        break
      case 'variable':
        searchList(visible.get(node.name), search)
        break
      case 'exists':
      case 'all':
        visit(node.list, visible)
        visit(node.body, removeVariable(visible, node.variable))
        break
      default:
        for (const child of listChildren(node)) visit(child, visible)
    }
  }
  visit(root, variables)
}

/** Searches each list once: nested loops may use a variable often. */
function searchList(bound: BoundList | undefined, search: Search): void {
  if (!bound || search.searched.has(bound)) return
  search.searched.add(bound)
  searchNames(bound.list, bound.variables, search)
}

/** The variables in the body of a loop: its own list has been searched, and hides others of its name. */
function removeVariable(variables: BoundLists, name: string): BoundLists {
  const rest = new Map(variables)
  rest.delete(name)
  return rest
}
