/** Declares who calls, for the routes of the areas that are still in `service`. */

import type { Authenticate, AuthenticateFrontEnd } from '../../queries/accounts/authenticate.ts'

export interface AccountsPart {
  readonly authenticate: Authenticate
  readonly authenticateFrontEnd: AuthenticateFrontEnd
}
