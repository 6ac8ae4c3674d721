/** Declares the service as HTTP uses it: authentication, the context of commands and queries. */

import {
  type Authenticate,
  type AuthenticateFrontEnd,
  openAuthentication,
  openFrontEndAuthentication,
} from '../queries/accounts/authenticate.ts'
import type { SessionsQueryContext } from '../queries/sessions/queryContext.ts'
import { openSessionsContext, type SessionsOptions } from './openSessionsContext.ts'
import type { ServiceContext } from './serviceContext.ts'

/** Ids that reach commands and queries have the right form; what has none of such an id throws `not_found`. */
export interface Service {
  readonly authenticate: Authenticate
  readonly authenticateFrontEnd: AuthenticateFrontEnd
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
