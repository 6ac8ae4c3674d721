/** Declares the dependencies and queries of commands on applications, users and sessions. */

import type { PrivateHost } from '../../domain/network/outboundHost.ts'
import type { AccountEvent, AccountState } from '../../events/accounts/account.ts'
import type { AppEvent, AppState } from '../../events/sessions/appEvents.ts'
import type { IdentifierEvent, IdentifierState } from '../../events/sessions/identifier.ts'
import type { SessionEvent, SessionState } from '../../events/sessions/session.ts'
import type { UserEvent, UserState, UserStreamState } from '../../events/sessions/user.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'
import type { FoldedStreamCache } from '../../state/folding/foldedStreamCache.ts'
import type { CommandContext } from '../handling/commandContext.ts'
import type { CustomerClient } from './migration/validateLegacySession.ts'
import type { PasswordHashing } from './passwords/passwordHashing.ts'

/** An application, and the account to find it in. */
export interface AppRef {
  readonly account: string
  readonly appId: string
}

/** A user, and the application to find them in. */
export interface UserRef extends AppRef {
  readonly userId: string
}

export interface SessionsContext extends CommandContext {
  readonly accounts: FoldedStreamCache<AccountState, AccountEvent>
  readonly apps: FoldedStreamCache<AppState | undefined, AppEvent>
  readonly users: FoldedStreamCache<UserStreamState, UserEvent>
  readonly sessions: FoldedStreamCache<SessionState | undefined, SessionEvent>
  readonly identifiers: FoldedStreamCache<IdentifierState, IdentifierEvent>
  readonly reads: SessionReads
  readonly hashing: PasswordHashing
  readonly customers: CustomerClient
  readonly metrics: Pick<Metrics, 'passwords' | 'sessions'>
  /** Tells the operator of something that a customer or a client did. */
  readonly warn: (facts: object, message: string) => void
  /** For how long the answer of a refresh is given again to its own client; five minutes unless given. */
  readonly refreshRepeatMs?: number | undefined
  /** The hosts of applications are right below it. */
  readonly sessionDomain: string
  /** Hosts that migration URLs may name though they are not public. */
  readonly privateMigrationHosts: readonly PrivateHost[]
}

/** What commands ask the read models, answered by the queries of the same names. */
interface SessionReads {
  readonly hasApps: (asked: HasAppsQuery) => Promise<boolean>
  readonly listAppsDue: (nowMs: number) => AsyncIterable<readonly { readonly id: string }[]>
  readonly findActiveSessions: (
    asked: ActiveSessionsQuery,
  ) => Promise<readonly { readonly id: string }[]>
  readonly isSessionParked: () => Promise<boolean>
  readonly listReplacedPasswordKeys: (sinceMs: number) => AsyncIterable<readonly string[]>
}

export interface HasAppsQuery {
  readonly account: string
  readonly count: number
}

export interface ActiveSessionsQuery extends Pick<UserState, 'epoch' | 'kept_session_id'> {
  readonly user: string
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number
}
