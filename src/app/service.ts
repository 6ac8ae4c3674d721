/** Declares the service as HTTP uses it: authentication, the context of commands and queries. */

import type { FrontEndPrincipal, Principal } from '../domain/principal.ts'
import { authenticate, authenticateFrontEnd } from '../queries/accounts/authenticate.ts'
import type { ServiceContext } from './serviceContext.ts'

/** Ids that reach commands and queries have the right form; what has none of such an id throws `not_found`. */
export interface Service {
  readonly authenticate: (token: string) => Promise<Principal>
  readonly authenticateFrontEnd: (
    key: string,
    origin: string | undefined,
  ) => Promise<FrontEndPrincipal>
  readonly context: ServiceContext
  /** Finishes what is under way, flushes, closes the stores. */
  readonly close: () => Promise<void>
}

/** The service over its context, into which the managed rulebook has been brought; see `installShippedSet`. */
export function serviceOf(context: ServiceContext, close: Service['close']): Service {
  return {
    authenticate: (token) => authenticate(context, token),
    authenticateFrontEnd: (key, origin) => authenticateFrontEnd(context, key, origin),
    context,
    close,
  }
}
