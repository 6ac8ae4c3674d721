/**
 * The table of contents of the system: the functions that the doors call, the sum of what each area offers. Doors give ids of the right
 * form; what has none of such an id throws `not_found`.
 */

import { openAuthentication, openFrontEndAuthentication } from './queries/accounts/authenticate.ts'
import type { SessionsQueryContext } from './queries/sessions/queryContext.ts'
import type { AccountsPart } from './service/accounts/accountsPart.ts'
import { openSessionsContext, type SessionsOptions } from './service/opening/openSessionsContext.ts'
import type { ServiceContext } from './service/opening/serviceContext.ts'

/** A new area: its part here, and its opening in `joinService`. No two parts have a function of the same name. */
export interface Service extends AccountsPart {
  /** What commands and queries are given. */
  readonly context: ServiceContext
  /** What the commands and queries of sessions are called with. */
  readonly sessionsContext: SessionsQueryContext
  /** Finishes what is under way, flushes, closes the stores. */
  readonly close: () => Promise<void>
}

interface JoinOptions extends Pick<Service, 'context' | 'close'> {
  /** SHA-256 of the operator's token, hexadecimal. */
  readonly operatorTokenHash: string
  readonly sessions?: SessionsOptions
}

/** The service over its context, into which the managed rulebook has been brought; see `installShippedSet`. */
export function joinService(options: JoinOptions): Service {
  const { context, operatorTokenHash, close, sessions = {} } = options
  return {
    authenticate: openAuthentication(context, operatorTokenHash),
    authenticateFrontEnd: openFrontEndAuthentication(context),
    sessionsContext: openSessionsContext(context, sessions),
    context,
    close,
  }
}
