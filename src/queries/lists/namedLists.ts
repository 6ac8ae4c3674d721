/** Lists and finds an account's named lists, which rules look values up in. */

import type { Call, Page, PageRequest, QueryResult } from '../../domain/call.ts'
import { invalidRequest, requireExisting } from '../../domain/failure.ts'
import { rulebookStream } from '../../events/rulebook/rulebook.ts'
import { requireAuthoring } from '../../state/accounts/requireAccess.ts'
import type { ListContext } from '../../state/lists/entryKey.ts'
import { findListView, type ListView } from '../../state/rulebook/namedListDecisions.ts'
import { computeListDigest, decodeCursor, encodeCursor } from '../reading/page.ts'

type Context = Pick<ListContext, 'accounts' | 'rulebooks'>

/** Throws `access_not_enabled`, `not_found`. */
export async function requireList(
  context: Context,
  call: Call,
  id: string,
): Promise<QueryResult<ListView>> {
  const { state, position } = await catchUpRulebook(context, call)
  return { value: requireExisting(findListView(state, id)), position }
}

/** In the order of creation. Throws `access_not_enabled`, `invalid_request` for a cursor behind a deleted list. */
export async function listLists(
  context: Context,
  call: Call,
  { cursor, limit }: PageRequest,
): Promise<QueryResult<Page<ListView>>> {
  const { state, position } = await catchUpRulebook(context, call)
  const ids = [...state.lists.keys()]
  const account = call.principal.accountId
  const scope = { mark: computeListDigest('lists', { account }), fields: [] }
  const from = cursor === undefined ? 0 : indexAfter(ids, decodeCursor(cursor, scope).id)
  const items = ids.slice(from, from + limit).flatMap((id) => findListView(state, id) ?? [])
  const last = items.at(-1)
  const hasMore = last !== undefined && from + limit < ids.length
  const next = hasMore && { nextCursor: encodeCursor({ id: last.id, body: {} }, scope) }
  return { value: { items, ...next }, position }
}

/** Where a page goes on behind a list. Of a deleted one nothing says where it was: ids are in no order. */
function indexAfter(ids: readonly string[], last: string): number {
  const at = ids.indexOf(last)
  if (at >= 0) return at + 1
  const message = 'The list that it goes on behind was deleted: begin again without it.'
  throw invalidRequest([{ path: 'cursor', message }])
}

/** All lists of the account as the log has them: they are few. */
async function catchUpRulebook(context: Context, call: Call) {
  await requireAuthoring(context, call)
  const stream = rulebookStream(call.principal.accountId)
  const { state, position, caughtUpPosition: known } = await context.rulebooks.catchUp(stream)
  return { state, position: Math.max(position, known) }
}
