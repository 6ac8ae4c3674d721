/** Lists a user's active sessions with decrypted devices, and detects parked ones (spec 2.9). */

import { LRUCache } from 'lru-cache'
import type { Page, PageRequest } from '../../domain/call.ts'
import { openObject, pageSchema, type TypeOf } from '../../domain/jsonSchema.ts'
import type { UserPrincipal } from '../../domain/principal.ts'
import { normalizeSessionDevice, type SessionDevice } from '../../domain/sessions/sessionDevice.ts'
import { openPersonal } from '../../events/catalogue.ts'
import { isForgotten, isSealed } from '../../events/recording/sealing.ts'
import { sessionStream } from '../../events/sessions/session.ts'
import { findActiveUser, userStream } from '../../events/sessions/user.ts'
import type { FoundDocument, Readers } from '../../projections/running/documents.ts'
import { deviceEvent, type SessionDocument } from '../../projections/sessions/sessions.ts'
import type { ActiveSessionsQuery } from '../../state/sessions/activeSessions.ts'
import { compareBy, findActiveSessions } from '../../state/sessions/activeSessions.ts'
import { requireActiveApp } from '../../state/sessions/findApp.ts'
import { notAuthenticated, requireOwnUser } from '../../state/sessions/findUser.ts'
import type { UserRef } from '../../state/sessions/sessionStreamTypes.ts'
import {
  buildSessionView,
  type SessionView,
  sessionFields,
  sessionSchema,
} from '../../state/sessions/views.ts'
import { computeListDigest, decodeCursor, encodeCursor } from '../reading/page.ts'
import type { SessionsQueryContext } from './servedApps.ts'

/** How long a list waits for the read models to show what the session that asks has just done. */
const shownMs = 2_000

type SessionsContext = Pick<
  SessionsQueryContext,
  'documents' | 'projections' | 'keyring' | 'apps' | 'users' | 'clock'
>

/** Active ones, the latest start first. Throws `app_not_found`, `not_found`, `invalid_request` for a bad cursor. */
export async function listUserSessions(
  context: SessionsContext,
  ref: UserRef,
  page: PageRequest,
): Promise<Page<SessionView>> {
  await requireActiveApp(context, ref)
  const user = await requireOwnUser(context, ref)
  const nowMs = context.clock.nowMs()
  const found = await findActivePage(context, { ...user, user: ref.userId, nowMs, ...page })
  return { ...found, items: await decryptSessions(context, found.items) }
}

export const activeSessionsSchema = pageSchema('ActiveSessions', 'sessions', sessionSchema)

/** Spec 4.5. */
export const ownSessionsSchema = openObject('SessionList', {
  sessions: {
    type: 'array',
    items: openObject('OwnSession', {
      ...sessionFields,
      is_current: { type: 'boolean', description: 'Whether it is the session that asks.' },
    }),
  },
  total: { type: 'integer', description: 'How many are active.' },
  limit: { type: 'integer' },
  offset: { type: 'integer' },
})
type OwnSessions = TypeOf<typeof ownSessionsSchema>

/** Which of the active sessions are shown: `offset` of those seen last are left out. */
export type SessionListQuery = Pick<OwnSessions, 'limit' | 'offset'>

/** The active ones: the one seen last first, of those seen at the same moment the one of the greatest id. */
export async function listOwnSessions(
  context: SessionsContext & Pick<SessionsQueryContext, 'sessions'>,
  { userId, sessionId }: UserPrincipal,
  { limit, offset }: SessionListQuery,
): Promise<OwnSessions> {
  // a refresh is answered before it is shown
  const { position } = await context.sessions.getFolded(sessionStream(sessionId))
  await context.projections.waitFor(position, shownMs)
  const user = findActiveUser((await context.users.getFolded(userStream(userId))).state)
  if (!user) throw notAuthenticated()
  const nowMs = context.clock.nowMs()
  const found = await findActiveSessions(context, { ...user, user: userId, nowMs })
  // the read models may be behind revocations that this instance knows
  const active = found.filter(({ id }) => !context.sessions.peek(sessionStream(id))?.state?.revoked)
  const shown = await decryptSessions(context, active.slice(offset, offset + limit))
  const sessions = shown.map((one) => ({ ...one, is_current: one.id === sessionId }))
  return { sessions, total: active.length, limit, offset }
}

/**
 * One page of them, in an order that no refresh between two pages changes. Throws `invalid_request` for an invalid
 * cursor of this list.
 */
async function findActivePage(
  readers: Readers,
  { cursor, limit, ...ofUser }: ActiveSessionsQuery & PageRequest,
): Promise<Page<FoundDocument<SessionDocument>>> {
  const mark = computeListDigest('sessions', { user: ofUser.user })
  const order = { mark, fields: ['started_at'] }
  const after = cursor === undefined ? undefined : decodeCursor(cursor, order)
  const active = (await findActiveSessions(readers, ofUser)).toSorted(compareBy('started_at'))
  const from = after && { id: after.id, body: { started_at: Number(after.values[0]) } }
  const left = from ? active.filter((one) => compareBy('started_at')(one, from) > 0) : active
  const items = left.slice(0, limit)
  const last = items.at(-1)
  return left.length > limit && last ? { items, nextCursor: encodeCursor(last, order) } : { items }
}

/** Views decrypted before, by session and version; used only while the key of the device exists. */
const views = new LRUCache<string, SessionView>({ max: 10_000 })

/** Rises with every destruction: what was opened before one is not cached after it. */
let destructions = 0

/** For when keys of devices were destroyed. */
export function forgetSessionViews(): void {
  destructions += 1
  views.clear()
}

/** In the same order, with one read of all keys; devices of erased users are empty. Throws `unavailable`. */
export async function decryptSessions(
  { keyring }: Pick<SessionsQueryContext, 'keyring'>,
  found: readonly FoundDocument<SessionDocument>[],
): Promise<readonly SessionView[]> {
  const sealedBy = found.map(({ body: { device } }) => (isSealed(device) ? device.sealed.key : ''))
  const before = destructions
  const keys = await keyring.keys([...new Set(sealedBy.filter((key) => key !== ''))])
  return found.map(({ id, body }, index) => {
    const name = `${id} ${body.event_id} ${body.last_seen_at} ${body.expires_at}`
    const isOpenable = keys.get(sealedBy[index] ?? '') instanceof Uint8Array
    const known = isOpenable ? views.get(name) : undefined
    if (known) return known
    const { device } = openPersonal(deviceEvent(id, body), keys).event.data
    const shown = isForgotten(device) ? normalizeSessionDevice({}) : (device as SessionDevice)
    const view = buildSessionView(id, { ...body, device: shown })
    if (isOpenable && before === destructions) views.set(name, view)
    return view
  })
}
