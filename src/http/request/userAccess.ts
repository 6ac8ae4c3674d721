/** Who may come through a route of the host of an application: its users, in their sessions (spec 5). */

import { permitUser } from '../../auth/permit.ts'
import type { UserPrincipal } from '../../domain/principal.ts'
import type { ServedApp } from '../../domain/servedApp.ts'
import { type Access, bearerToken } from './access.ts'
import { servedApp } from './applicationAccess.ts'

/** Throws `invalid_api_token` unless it is the access token of an active session of the application. */
type AuthenticateUser = (app: ServedApp, token: string) => Promise<UserPrincipal>

/** Longer texts are no access token. */
const tokenMax = 4_096

/** The user of an active session, with the scope if one is needed. Whatever is wrong with the token is answered with the same bytes. */
export function userAccess(authenticate: AuthenticateUser, scope?: string): Access<UserPrincipal> {
  return () => ({
    admits: { user: { scope } },
    admit: async (ctx) => {
      const token = bearerToken(ctx.req, tokenMax)
      const user = await authenticate(servedApp(ctx), token)
      ctx.state.principal = user
      return permitUser(user, scope)
    },
  })
}
