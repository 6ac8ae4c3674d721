/** Legacy sessions that become sessions of Vigil. */

import type { ServedApp } from '../../domain/servedApp.ts'
import type { StartedSession } from './sessionsPart.ts'

/** A token of the system before, as a user has presented it. */
export interface LegacyToken {
  /** The application whose host was asked. */
  readonly app: ServedApp
  readonly requestId: string
  readonly token: string
  /** Where the connection comes from, two upper-case letters; undefined leaves it to what the customer says. */
  readonly countryCode: string | undefined
}

export interface MigrationPart {
  /**
   * Asks the customer whether the legacy session is valid, and starts a session of the user whom they name, who is created when they are
   * new. Throws `not_configured` while the application names no URL, `invalid_api_token` for a session that is not valid,
   * `session_validation_failed` when there is no answer as the contract has it, and while the URL is left alone, `rate_limited` when too many
   * questions of the application or the account are under way, `unavailable` when too many of all are, and `conflict` when the identifiers
   * belong to different users, or the user is deleted meanwhile.
   */
  readonly migrateSession: (legacy: LegacyToken) => Promise<StartedSession>
}
