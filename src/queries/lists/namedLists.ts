/** Lists and finds an account's named lists, which rules look values up in. */

import { requireAuthoring } from '../../commands/accounts/requireAccess.ts'
import type { ListContext } from '../../commands/lists/entryKey.ts'
import { findListView, type ListView } from '../../commands/lists/namedLists.ts'
import type { Call, Page, PageRequest, QueryResult } from '../../domain/call.ts'
import { requireExisting } from '../../domain/failure.ts'
import { type RulebookState, rulebookStream } from '../../events/rulebook/rulebook.ts'
import { type CursorScope, computeListDigest, decodeCursor, encodeCursor } from '../reading/page.ts'
import type { QueryContext } from '../reading/queryContext.ts'
import { waitForReadModels } from '../reading/waitForReadModels.ts'

type Context = Pick<ListContext, 'accounts' | 'rulebooks'>

/** Throws `access_not_enabled`, `not_found`. */
export async function requireList(
  context: Context,
  call: Call,
  id: string,
): Promise<QueryResult<ListView>> {
  const { state, position } = await rulebookNow(context, call)
  return { value: requireExisting(findListView(state, id)), position }
}

/** In the order in which they were made. Throws `access_not_enabled`. */
export async function listLists(
  context: Context & Pick<QueryContext, 'projections'>,
  call: Call,
  { minPosition, ...asked }: PageRequest,
): Promise<QueryResult<Page<ListView>>> {
  await waitForReadModels(context, minPosition)
  const { state, position } = await rulebookNow(context, call)
  return { value: pageOf(state, call.principal.accountId, asked), position }
}

function pageOf(
  state: RulebookState,
  account: string,
  { cursor, limit }: Omit<PageRequest, 'minPosition'>,
): Page<ListView> {
  const ids = [...state.lists.keys()]
  const order = orderOf(account)
  const from = cursor === undefined ? 0 : indexAfter(ids, decodeCursor(cursor, order).id)
  const page = ids.slice(from, from + limit)
  const items = page.flatMap((id) => findListView(state, id) ?? [])
  const last = page.at(-1)
  const isMore = last !== undefined && last !== ids.at(-1)
  return { items, ...(isMore && { nextCursor: encodeCursor({ id: last, body: {} }, order) }) }
}

/** All lists of the account as the log has them: they are few. */
async function rulebookNow(context: Context, call: Call) {
  await requireAuthoring(context, call)
  const stream = rulebookStream(call.principal.accountId)
  const { state, position, caughtUpPosition: known } = await context.rulebooks.catchUp(stream)
  return { state, position: Math.max(position, known) }
}

/** Where a page goes on behind a list, which may have been deleted since: ids are in the order of time. */
function indexAfter(ids: readonly string[], last: string): number {
  const at = ids.indexOf(last)
  if (at >= 0) return at + 1
  const later = ids.findIndex((id) => id > last)
  return later < 0 ? ids.length : later
}

/** Lists are paged in the order of their ids. */
function orderOf(account: string): CursorScope {
  return { mark: computeListDigest('lists', { account }), fields: [] }
}
