/** The lists that authors make and rules ask. */

import { assertAuthoring } from '../../commands/accounts/assertAccess.ts'
import { changeList, createList, deleteList } from '../../commands/rulebook/namedLists.ts'
import type { Call, Page, PageRequest } from '../../domain/call.ts'
import { mustExist } from '../../domain/failure.ts'
import { derivedId } from '../../domain/ids.ts'
import type { RulebookEvent, RulebookState } from '../../events/rulebook/rulebook.ts'
import { cursorAfter, type ListOrder, listMark, readCursor } from '../../queries/reading/page.ts'
import { reached } from '../../queries/reading/reached.ts'
import {
  eventContextOf,
  rulebookStream,
  type ServiceContext,
  write,
} from '../opening/serviceContext.ts'
import type { ListsPart, ListView } from './listsPart.ts'

type Lists = ListsPart['lists']

/** What is asked for of one list. */
interface Change {
  readonly operation: string
  readonly input: unknown
  /** Of the list; made of the command where there is none yet. */
  readonly id?: string
  readonly decide: (id: string) => (state: RulebookState) => readonly RulebookEvent[]
}

/** They are in the account's rulebook, so that rules and lists are decided upon together. */
export function openNamedLists(context: ServiceContext): Lists {
  const change = async (call: Call, { operation, input, id: given, decide }: Change) => {
    await assertAuthoring(context, call)
    const account = call.principal.accountId
    const eventContext = eventContextOf(context, call, { account, operation, input })
    const idBy = (command: string): string => given ?? derivedId('lst', command, 'lists')
    const { value, ...written } = await write(context, context.rulebooks, {
      stream: rulebookStream(account),
      context: eventContext,
      decide: decide(idBy(eventContext.command)),
    })
    const id = idBy(value.command)
    const state = value.repeated
      ? await context.rulebooks.stateAt(rulebookStream(account), value.position)
      : value.state
    return { ...written, view: viewOf(state, id) }
  }

  return {
    create: async (call, input) => {
      const made = await change(call, {
        operation: 'lists.create',
        input,
        decide: (id) => createList(id, input),
      })
      return shown(made)
    },
    change: async (call, id, input) => {
      const changed = await change(call, {
        operation: `lists.change ${id}`,
        input,
        id,
        decide: () => changeList(id, input),
      })
      return shown(changed)
    },
    remove: async (call, id) => {
      const { position, visible } = await change(call, {
        operation: `lists.remove ${id}`,
        input: null,
        id,
        decide: () => deleteList(id),
      })
      return { value: undefined, position, visible }
    },
    get: async (call, id) => {
      const { state, position } = await lists(context, call)
      return { value: mustExist(viewOf(state, id)), position }
    },
    list: async (call, { minPosition, ...asked }) => {
      await reached(context, minPosition)
      const { state, position } = await lists(context, call)
      return { value: pageOf(state, call.principal.accountId, asked), position }
    },
  }
}

function pageOf(
  state: RulebookState,
  account: string,
  { cursor, limit }: Omit<PageRequest, 'minPosition'>,
): Page<ListView> {
  const ids = [...state.lists.keys()]
  const order = orderOf(account)
  const from = cursor === undefined ? 0 : placeAfter(ids, readCursor(cursor, order).id)
  const page = ids.slice(from, from + limit)
  const items = page.flatMap((id) => viewOf(state, id) ?? [])
  const last = page.at(-1)
  const isMore = last !== undefined && last !== ids.at(-1)
  return { items, ...(isMore && { nextCursor: cursorAfter({ id: last, body: {} }, order) }) }
}

function shown<Made extends { readonly view: ListView | undefined }>({ view, ...written }: Made) {
  return { ...written, value: mustExist(view) }
}

/** All lists of the account as the log has them: they are few. */
async function lists(context: ServiceContext, call: Call) {
  await assertAuthoring(context, call)
  const stream = rulebookStream(call.principal.accountId)
  const { state, position, known } = await context.rulebooks.catchUp(stream)
  return { state, position: Math.max(position, known) }
}

function viewOf(state: RulebookState, id: string): ListView | undefined {
  const list = state.lists.get(id)
  return list && { id, ...list }
}

/** Where a page goes on behind a list, which may have been deleted since: ids are in the order of time. */
function placeAfter(ids: readonly string[], last: string): number {
  const at = ids.indexOf(last)
  if (at >= 0) return at + 1
  const later = ids.findIndex((id) => id > last)
  return later < 0 ? ids.length : later
}

/** Lists are paged in the order of their ids. */
function orderOf(account: string): ListOrder {
  return { mark: listMark('lists', { account }), fields: [] }
}
