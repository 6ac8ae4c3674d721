/** Declares what routes are built over. */

import type { Principal } from '../../domain/principal.ts'
import type { ServiceContext } from '../../service/opening/serviceContext.ts'

/** What commands and queries are given, and who calls. */
export interface Served {
  readonly context: ServiceContext
  /** The principal behind a bearer token. Throws `invalid_api_token`. */
  readonly authenticate: (token: string) => Promise<Principal>
}
