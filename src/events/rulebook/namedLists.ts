/** Declares the events of lists that rules query by name, without their entries. */

import type { ListKind } from '../../domain/lists/lists.ts'
import type { DomainEvent } from '../recording/event.ts'

export interface NamedList {
  /** As rules write it; no two lists of an account have the same. */
  readonly name: string
  readonly kind: ListKind
  readonly description?: string
}

export type NamedListEvent =
  | DomainEvent<'ListCreated', NamedList & { readonly list_id: string }>
  /** What it says of itself is another; without a description it says nothing any more. */
  | DomainEvent<'ListChanged', { readonly list_id: string; readonly description?: string }>
  | DomainEvent<'ListDeleted', { readonly list_id: string }>

/** Folds one more event into the lists; mutates them. */
export function evolveNamedLists(lists: Map<string, NamedList>, event: NamedListEvent): void {
  const { list_id } = event.data
  const after = listAfter(lists.get(list_id), event)
  if (after) lists.set(list_id, after)
  else lists.delete(list_id)
}

function listAfter(before: NamedList | undefined, event: NamedListEvent): NamedList | undefined {
  switch (event.type) {
    case 'ListCreated': {
      const { list_id: _, ...list } = event.data
      return list
    }
    case 'ListChanged': {
      if (!before) return undefined
      const { description } = event.data
      const { name, kind } = before
      return { name, kind, ...(description !== undefined && { description }) }
    }
    case 'ListDeleted':
      return undefined
  }
}

/** The list of this name, with its id; undefined when there is none. */
export function listNamed(
  lists: Iterable<readonly [string, NamedList]>,
  name: string,
): (NamedList & { readonly id: string }) | undefined {
  for (const [id, list] of lists) if (list.name === name) return { id, ...list }
  return undefined
}
