/** Declares the dependencies of commands on applications, users and sessions. */

import type { PrivateHost } from '../../domain/network/outboundHost.ts'
import type { AccountEvent, AccountState } from '../../events/accounts/account.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'
import type { FoldedStreamCache } from '../../state/folding/foldedStreamCache.ts'
import type { SessionStreams } from '../../state/sessions/sessionStreamTypes.ts'
import type { CommandContext } from '../handling/commandContext.ts'
import type { CustomerClient } from './migration/validateLegacySession.ts'
import type { PasswordHashing } from './passwords/passwordHashing.ts'

export interface SessionsContext extends CommandContext, SessionStreams {
  readonly accounts: FoldedStreamCache<AccountState, AccountEvent>
  readonly hashing: PasswordHashing
  readonly customers: CustomerClient
  readonly metrics: Pick<Metrics, 'passwords' | 'sessions'>
  /** Tells the operator of something that a customer or a client did. */
  readonly warn: (facts: object, message: string) => void
  /** For how long the answer of a refresh is given again to its own client; five minutes unless given. */
  readonly refreshRepeatMs?: number | undefined
  /** Hosts that migration URLs may name though they are not public. */
  readonly privateMigrationHosts: readonly PrivateHost[]
}
