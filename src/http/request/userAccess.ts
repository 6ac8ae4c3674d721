/** Admits users of an application by the access token of their session (spec 5). */

import { permitUser } from '../../auth/permit.ts'
import type { UserPrincipal } from '../../domain/principal.ts'
import type { ServedApp } from '../../domain/sessions/appSettings.ts'
import type { Context } from './requestContext.ts'
import { type Access, bearerToken } from './route.ts'

/** Throws `invalid_api_token` unless it is the access token of an active session of the application. */
type AuthenticateUser = (app: ServedApp, token: string) => Promise<UserPrincipal>

/** Longer texts cannot be access tokens. */
const tokenMax = 4_096

/** Admits the user of an active session, with the scope if given. Every token error has the same response body. */
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

/** Admits anyone on the host of an application, and passes the application on. */
export const applicationAccess: Access<ServedApp> = () => ({
  admits: 'anyone',
  admit: async (ctx) => servedApp(ctx),
})

/** The application of the host that the request is for, which a route of such hosts has always. */
function servedApp({ state: { app } }: Context): ServedApp {
  if (!app) throw new Error('a route of the hosts of applications was asked elsewhere')
  return app
}
