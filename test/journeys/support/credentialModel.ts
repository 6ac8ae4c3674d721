/**
 * Users, their sessions, tokens, passwords and scopes, as the guide tells of them: plain data and plain rules, no
 * events.
 */

export const accessMs = 300_000
export const refreshMs = 900_000
const grantMs = 300_000
export const passwordScope = 'prld:pwd:write'
/** What the application does not take. */
export const badPassword = 'short'

/** How long a lost answer is given again, and how often. */
const repeatMs = 300_000
const repeatsMax = 5
/** How old a proof may be. */
const proofMs = 300_000

interface Access {
  readonly token: string
  readonly scopes: readonly string[]
  readonly endsMs: number
}

export interface Session {
  readonly id: string
  /** All there ever were, the current one at the end. */
  readonly refreshTokens: string[]
  readonly accessTokens: Access[]
  key?: number
  seenMs: number
  endsMs: number
  revoked: boolean
  /** How often the last answer was given again. */
  repeats: number
  /** The last request that was answered with new tokens. */
  last?: { readonly token: string; readonly proof: string; readonly iat: number }
}

interface Grant {
  readonly session?: string
  readonly endsMs: number
}

export interface User {
  readonly path: string
  readonly names: readonly string[]
  password?: string
  grants: Grant[]
  readonly sessions: Session[]
  deleted: boolean
}

/** What is to be answered; the code of what is refused. */
export type Expected = { readonly status: number; readonly code?: string }

const unauthorized: Expected = { status: 401, code: 'unauthorized' }
export const nobody: Expected = { status: 404, code: 'not_found' }
const done: Expected = { status: 204 }

export const createdUser = (path: string, names: readonly string[]): User => ({
  path,
  names,
  grants: [],
  sessions: [],
  deleted: false,
})

/** Who is known by the name. */
export const ownerOf = (users: readonly User[], name: string): User | undefined =>
  users.find(({ deleted, names }) => !deleted && names.includes(name))

/** In whole seconds, as tokens have it. */
const seconds = (ms: number): number => Math.floor(ms / 1_000)

export const isActive = (user: User, session: Session, nowMs: number): boolean =>
  !user.deleted && !session.revoked && session.endsMs > nowMs

/** Clocks may be five seconds apart. */
export const isGood = (user: User, session: Session, at: { access: Access; nowMs: number }) =>
  isActive(user, session, at.nowMs) && at.access.endsMs + 5_000 > seconds(at.nowMs) * 1_000

const isUsable = ({ session, endsMs }: Grant, id: string, nowMs: number): boolean =>
  endsMs > nowMs && (session === undefined || session === id)

export const scopesOf = (user: User, { id }: Session, nowMs: number): readonly string[] =>
  user.grants.some((grant) => isUsable(grant, id, nowMs)) ? [passwordScope] : []

export const accessOf = (token: string, session: Session, scopes: readonly string[]): Access => ({
  token,
  scopes,
  endsMs: Math.min(seconds(session.seenMs) * 1_000 + accessMs, seconds(session.endsMs) * 1_000),
})

/** All sessions end but one, and what was granted to others than that one. */
function endSessions(user: User, kept?: Session): void {
  for (const session of user.sessions) if (session !== kept) session.revoked = true
  user.grants = user.grants.filter(({ session }) => kept !== undefined && session === kept.id)
}

export interface Refresh {
  /** Of the token, counted back from the current one. */
  readonly back: number
  readonly key: number
  readonly nowMs: number
}

/** The rule of refreshes: `next` for new tokens, `again` for those that were given before. */
export function refresh(
  user: User,
  session: Session,
  { back, key, nowMs }: Refresh,
): Expected & { readonly gives?: 'next' | 'again' } {
  if (!isActive(user, session, nowMs)) return unauthorized
  if (back === 0) {
    const isBound = session.key !== undefined && session.key !== key
    if (isBound) return { status: 400, code: 'dpop_key_mismatch' }
    Object.assign(session, { key, seenMs: nowMs, endsMs: nowMs + refreshMs, repeats: 0 })
    return { status: 200, gives: 'next' }
  }
  if (back === 1 && key === session.key && nowMs <= session.seenMs + repeatMs) {
    if (session.repeats >= repeatsMax) return unauthorized
    session.repeats += 1
    return { status: 200, gives: 'again' }
  }
  session.revoked = true
  return unauthorized
}

/** The last request that was answered, sent once more as it was. */
export function replay(user: User, session: Session, nowMs: number): Expected {
  const { token, iat } = session.last ?? { token: '', iat: 0 }
  const isOld = iat * 1_000 < nowMs - proofMs
  if (isOld) return { status: 400, code: 'invalid_dpop_proof' }
  if (!isActive(user, session, nowMs)) return unauthorized
  const isPrevious = session.refreshTokens.at(-2) === token
  if (isPrevious && nowMs <= session.seenMs + repeatMs) {
    return { status: 400, code: 'invalid_dpop_proof' }
  }
  session.revoked = true
  return unauthorized
}

export interface Change {
  readonly access: Access
  readonly password: string
  readonly nowMs: number
}

/** The policy does not take it, or it is the current one. */
function isRefused(user: User, password: string): boolean {
  return password === badPassword || password === user.password
}

/** The user changes the password. */
export function changeOwn(user: User, session: Session, { access, password, nowMs }: Change) {
  const missing: Expected = { status: 403, code: 'insufficient_scope' }
  if (!isGood(user, session, { access, nowMs })) return unauthorized
  if (!access.scopes.includes(passwordScope)) return missing
  const [used] = user.grants
    .filter((grant) => isUsable(grant, session.id, nowMs))
    .toSorted((one, other) => one.endsMs - other.endsMs)
  if (!used) return missing
  if (isRefused(user, password)) return { status: 400, code: 'invalid_password' }
  user.grants = user.grants.filter((grant) => grant !== used)
  user.password = password
  endSessions(user, session)
  return done
}

/** The back end gives the user a password. */
export function setPassword(user: User, password: string): Expected {
  if (user.deleted) return nobody
  if (isRefused(user, password)) return { status: 400, code: 'invalid_password' }
  if (user.password !== undefined) endSessions(user)
  user.password = password
  return done
}

export function grant(user: User, session: Session | undefined, nowMs: number): Expected {
  if (user.deleted || (session && !isActive(user, session, nowMs))) return nobody
  const endsMs = nowMs + grantMs
  user.grants.push(session ? { session: session.id, endsMs } : { endsMs })
  return { status: 201 }
}

/** The back end ends all sessions. */
export function revokeAll(user: User): Expected {
  if (user.deleted) return nobody
  endSessions(user)
  return done
}

/** The back end ends one. */
export function revoke(user: User, session: Session): Expected {
  if (user.deleted) return nobody
  session.revoked = true
  return done
}

export function revokeOthers(user: User, session: Session, at: { access: Access; nowMs: number }) {
  if (!isGood(user, session, at)) return unauthorized
  endSessions(user, session)
  return done
}

/** Whoever has a refresh token of a session, an old one too, may end it. */
export function revokeByToken(session: Session): Expected {
  session.revoked = true
  return done
}

export function deleteUser(user: User): Expected {
  user.deleted = true
  user.grants = []
  delete user.password
  return done
}

/** What is started for a user, beside what the service makes up. */
export function startedSession(
  user: User,
  { id, token, nowMs }: { readonly id: string; readonly token: string; readonly nowMs: number },
): Session {
  const session: Session = {
    id,
    refreshTokens: [token],
    accessTokens: [],
    seenMs: nowMs,
    endsMs: nowMs + refreshMs,
    revoked: false,
    repeats: 0,
  }
  user.sessions.push(session)
  return session
}
