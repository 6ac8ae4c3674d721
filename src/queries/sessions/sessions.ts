/** Lists the active sessions of a user. */

import { findOwnApp } from '../../commands/sessions/apps/ownApp.ts'
import type { ActiveAsked, UserRef } from '../../commands/sessions/sessionsContext.ts'
import { findOwnUser, notAuthenticated } from '../../commands/sessions/users/findUser.ts'
import type { SessionView } from '../../commands/sessions/views.ts'
import type { Page, PageRequest, Seen } from '../../domain/call.ts'
import type { UserPrincipal } from '../../domain/principal.ts'
import { sessionStream } from '../../events/sessions/session.ts'
import { activeUser, userStream } from '../../events/sessions/user.ts'
import { parkedCollection } from '../../projections/running/parking.ts'
import { type SessionDocument, sessionCollection } from '../../projections/sessions/sessions.ts'
import {
  activeCollection,
  type Found,
  findDocuments,
  getDocument,
  type Readers,
} from '../reading/documents.ts'
import { cursorAfter, orderOf, type PageAsked, readCursor } from '../reading/page.ts'
import { reached } from '../reading/reached.ts'
import { openSessions } from './openSessions.ts'
import type { SessionsQueryContext } from './queryContext.ts'

/** More than a user is let have: a few may be started at the same moment. */
const sessionsMax = 1_000

/** How long a list waits for the read models to show what the session that asks has just done. */
const shownMs = 2_000

/** What is asked for again within it is the same question, which read models that have not changed need not answer anew. */
const askedSinceMs = 60_000

type Reading = Pick<
  SessionsQueryContext,
  'documents' | 'projections' | 'keyring' | 'apps' | 'users' | 'clock'
>

/** The active ones, the one seen last first. Throws `app_not_found`, `not_found`, and `invalid_request` for what is no cursor. */
export async function listUserSessions(
  context: Reading,
  ref: UserRef,
  { minPosition, ...page }: PageRequest,
): Promise<Seen<Page<SessionView>>> {
  const position = await reached(context, minPosition)
  await findOwnApp(context, ref)
  const user = await findOwnUser(context, ref)
  const nowMs = context.clock.nowMs()
  const found = await pageOfActive(context, { ...user, user: ref.userId, nowMs, ...page })
  return { value: { ...found, items: await openSessions(context, found.items) }, position }
}

export interface SessionsAsked {
  readonly limit: number
  /** How many are left out, of those seen last. */
  readonly offset: number
}

export interface OwnSessionView extends SessionView {
  /** Whether it is the one that asks. */
  readonly is_current: boolean
}

/** Spec 4.5. */
export interface SessionsPage extends SessionsAsked {
  readonly sessions: readonly OwnSessionView[]
  /** Of the active ones. */
  readonly total: number
}

/** The active ones: the one seen last first, of those seen at the same moment the one of the greatest id. */
export async function listOwnSessions(
  context: Reading & Pick<SessionsQueryContext, 'sessions'>,
  { userId, sessionId }: UserPrincipal,
  { limit, offset }: SessionsAsked,
): Promise<SessionsPage> {
  // a refresh is answered before it is shown
  const { position } = await context.sessions.folded(sessionStream(sessionId))
  await context.projections.waitFor(position, shownMs)
  const user = activeUser((await context.users.folded(userStream(userId))).state)
  if (!user) throw notAuthenticated()
  const nowMs = context.clock.nowMs()
  const found = await findActiveSessions(context, { ...user, user: userId, nowMs })
  // the read models may be a moment behind what was ended here or heard of
  const active = found.filter(({ id }) => !context.sessions.peek(sessionStream(id))?.state?.revoked)
  const shown = await openSessions(context, active.slice(offset, offset + limit))
  const sessions = shown.map((one) => ({ ...one, is_current: one.id === sessionId }))
  return { sessions, total: active.length, limit, offset }
}

/** The active sessions of a user who is there, the one seen last first. */
export async function findActiveSessions(
  readers: Readers,
  { user, epoch, kept_session_id: kept, nowMs }: ActiveAsked,
): Promise<readonly Found<SessionDocument>[]> {
  const sinceMs = nowMs - (nowMs % askedSinceMs)
  const [found, keptOne] = await Promise.all([
    findDocuments(readers, sessionCollection, {
      where: { user, epoch, expires_at: { gt: sinceMs } },
      sort: ['-expires_at'],
      limit: sessionsMax,
    }),
    kept === undefined ? undefined : getDocument(readers, sessionCollection, kept),
  ])
  const isAmong = found.some(({ id }) => id === keptOne?.id)
  const goesOn = keptOne && !isAmong && keptOne.body.user === user
  return [...found, ...(goesOn ? [keptOne] : [])]
    .filter(({ body }) => body.expires_at > nowMs)
    .sort(bySeen)
}

/** One page of them. Throws `invalid_request` for what is no cursor of this list. */
async function pageOfActive(
  readers: Readers,
  { cursor, limit, ...ofUser }: ActiveAsked & PageAsked,
): Promise<Page<Found<SessionDocument>>> {
  const order = orderOf(sessionCollection, {
    where: { user: ofUser.user },
    sort: ['-last_seen_at'],
  })
  const after = cursor === undefined ? undefined : readCursor(cursor, order)
  const active = await findActiveSessions(readers, ofUser)
  const from = after && { id: after.id, body: { last_seen_at: Number(after.values[0]) } }
  const left = from ? active.filter((one) => bySeen(one, from) > 0) : active
  const items = left.slice(0, limit)
  const last = items.at(-1)
  return left.length > limit && last ? { items, nextCursor: cursorAfter(last, order) } : { items }
}

/** Whether a session may be otherwise than is shown, because one of its events could not be applied. Throws `unavailable`. */
export async function isSessionParked(readers: Readers): Promise<boolean> {
  const { version } = activeCollection(readers, sessionCollection)
  const parked = parkedCollection({ name: sessionCollection.projection, version })
  return (await readers.documents.find(parked, { where: {}, limit: 1 })).length > 0
}

type SeenAt = Found<Pick<SessionDocument, 'last_seen_at'>>

/** Ties by id, so that the order is one. */
function bySeen(one: SeenAt, other: SeenAt): number {
  const seen = other.body.last_seen_at - one.body.last_seen_at
  return seen !== 0 ? seen : one.id < other.id ? 1 : -1
}
