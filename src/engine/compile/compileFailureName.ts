/** Compiles the search for the name in `blocked_by` when a part of a rule fails. */

import { childrenOf, type Expression } from '../language/expression.ts'
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
    const name = nameIn(part, scope, () => new Set())
    return () => name
  }
  const arrived = (name: string): boolean => memory.cells[slots.slotOf(name)] !== undefined
  return () => nameIn(part, scope, (node) => findUnreachableNodes(node, arrived))
}

function nameIn(
  part: Expression,
  { variables, rule }: CompileContext,
  unreachedIn: UnreachedIn,
): string | undefined {
  // nested loops may use a variable often: each list is searched once
  const search: Search = { unreachedIn, inLists: new Map() }
  const { read, asked } = firstNames(part, variables, search)
  if (read !== undefined) return read
  const whole = firstNames(rule, new Map(), search)
  return asked ?? whole.read ?? whole.asked
}

type UnreachedIn = (part: Expression) => ReadonlySet<Expression>

interface Search {
  readonly unreachedIn: UnreachedIn
  readonly inLists: Map<BoundList, FirstNames>
}

interface FirstNames {
  read: string | undefined
  asked: string | undefined
}

/** The first names in order of appearance; the variable of an enclosing loop counts as the names in its list. */
function firstNames(part: Expression, variables: BoundLists, search: Search): FirstNames {
  const found: FirstNames = { read: undefined, asked: undefined }
  visitNode(part, variables, { search, unreached: search.unreachedIn(part), found })
  return found
}

interface Visit {
  readonly search: Search
  readonly unreached: ReadonlySet<Expression>
  readonly found: FirstNames
}

function visitNode(node: Expression, variables: BoundLists, visit: Visit): void {
  const { search, unreached, found } = visit
  if (found.read !== undefined || unreached.has(node)) return
  switch (node.kind) {
    case 'read':
      found.read = node.name
      break
    case 'has':
      found.asked ??= node.name
      break
    case 'variable':
      addNames(variables.get(node.name), search, found)
      break
    case 'exists':
    case 'all':
      visitNode(node.list, variables, visit)
      visitNode(node.body, without(variables, node.variable), visit)
      break
    default:
      for (const child of childrenOf(node)) visitNode(child, variables, visit)
  }
}

function addNames(bound: BoundList | undefined, search: Search, found: FirstNames): void {
  if (!bound) return
  const names = search.inLists.get(bound) ?? firstNames(bound.list, bound.variables, search)
  search.inLists.set(bound, names)
  found.read ??= names.read
  found.asked ??= names.asked
}

/** The variables in the body of a loop: its own list has been searched, and hides others of its name. */
function without(variables: BoundLists, name: string): BoundLists {
  if (!variables.has(name)) return variables
  const rest = new Map(variables)
  rest.delete(name)
  return rest
}
