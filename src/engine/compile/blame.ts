/** Finds the name to report in `blocked_by` when a subexpression of a rule fails. */

import { childrenOf, type Expression } from '../language/expression.ts'
import { unreachedParts } from '../language/guards.ts'
import type { Scope } from './compiled.ts'

const none: ReadonlySet<Expression> = new Set()

/** Returns the name after the subexpression has failed; undefined when no name is the cause. */
export type Blame = () => string | undefined

/** The variables of the loops around a part, each with the list it goes through. */
type BoundLists = ReadonlyMap<string, BoundList>

export interface BoundList {
  readonly list: Expression
  /** The variables that the list itself can use. */
  readonly variables: BoundLists
}

/**
 * The first name that the expression reads where guards allow; without one, the first that it asks for with `has`; for an expression
 * without names, the same of the whole rule.
 */
export function blameOf(part: Expression, scope: Scope): Blame {
  const { memory, slots, guarded } = scope
  if (!guarded) {
    const name = blamed(part, scope, () => none)
    return () => name
  }
  const arrived = (name: string): boolean => memory.cells[slots.slotOf(name)] !== undefined
  return () => blamed(part, scope, (node) => unreachedParts(node, arrived))
}

function blamed(
  part: Expression,
  { variables, rule }: Scope,
  unreachedIn: UnreachedIn,
): string | undefined {
  // loops in loops may use a variable often: each list is looked through once
  const search: Search = { unreachedIn, known: new Map() }
  const { read, asked } = firstNames(part, variables, search)
  if (read !== undefined) return read
  const whole = firstNames(rule, new Map(), search)
  return asked ?? whole.read ?? whole.asked
}

type UnreachedIn = (part: Expression) => ReadonlySet<Expression>

interface Search {
  readonly unreachedIn: UnreachedIn
  readonly known: Map<BoundList, FirstNames>
}

interface FirstNames {
  read: string | undefined
  asked: string | undefined
}

/** The first names in order of appearance; a variable of a loop around the part stands for the list that the loop goes through. */
function firstNames(part: Expression, variables: BoundLists, search: Search): FirstNames {
  const found: FirstNames = { read: undefined, asked: undefined }
  look(part, variables, { search, unreached: search.unreachedIn(part), found })
  return found
}

interface Looking {
  readonly search: Search
  readonly unreached: ReadonlySet<Expression>
  readonly found: FirstNames
}

function look(node: Expression, variables: BoundLists, looking: Looking): void {
  const { search, unreached, found } = looking
  if (found.read !== undefined || unreached.has(node)) return
  switch (node.kind) {
    case 'read':
      found.read = node.name
      break
    case 'has':
      found.asked ??= node.name
      break
    case 'variable':
      lookInList(variables.get(node.name), search, found)
      break
    case 'exists':
    case 'all':
      look(node.list, variables, looking)
      look(node.body, without(variables, node.variable), looking)
      break
    default:
      for (const child of childrenOf(node)) look(child, variables, looking)
  }
}

function lookInList(bound: BoundList | undefined, search: Search, found: FirstNames): void {
  if (!bound) return
  const names = search.known.get(bound) ?? firstNames(bound.list, bound.variables, search)
  search.known.set(bound, names)
  found.read ??= names.read
  found.asked ??= names.asked
}

/** What is left to see inside a loop: its own variable stands for a list that has been looked through, and hides others of its name. */
function without(variables: BoundLists, name: string): BoundLists {
  if (!variables.has(name)) return variables
  const rest = new Map(variables)
  rest.delete(name)
  return rest
}
