/** Questions about the sessions of a user. */

import type { Page } from '../../domain/call.ts'
import type { UserState } from '../../events/sessions/user.ts'
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

interface OfUser extends Pick<UserState, 'epoch' | 'kept_session_id'> {
  readonly user: string
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number
}

/** More than a user is let have: a few may be started at the same moment. */
const sessionsMax = 1_000

/** What is asked for again within it is the same question, which read models that have not changed need not answer anew. */
const askedSinceMs = 60_000

/** The active sessions of a user who is there, the one seen last first. */
export async function findActiveSessions(
  readers: Readers,
  { user, epoch, kept_session_id: kept, nowMs }: OfUser,
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
export async function listActiveSessions(
  readers: Readers,
  { cursor, limit, ...ofUser }: OfUser & PageAsked,
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

type Seen = Found<Pick<SessionDocument, 'last_seen_at'>>

/** Ties by id, so that the order is one. */
function bySeen(one: Seen, other: Seen): number {
  const seen = other.body.last_seen_at - one.body.last_seen_at
  return seen !== 0 ? seen : one.id < other.id ? 1 : -1
}
