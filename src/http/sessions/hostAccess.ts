/** Admits callers of application hosts: anyone, or users by access token (spec 5). */

import { requireUserScope } from '../../auth/requireScope.ts'
import type { UserPrincipal } from '../../domain/principal.ts'
import type { ServedApp } from '../../domain/sessions/appSettings.ts'
import { authenticateUser } from '../../queries/sessions/servedApps.ts'
import { type Access, readBearerToken } from '../request/access.ts'
import type { Context } from '../request/requestContext.ts'

/** Longer texts cannot be access tokens. */
const tokenMax = 4_096

/** What routes of the hosts of applications have in common. */
export const hostRouteDefaults = { host: 'session', tag: 'Sessions', kind: 'plain' } as const

/** Admits the user of an active session, with the scope if given. Every token error has the same response body. */
export function userAccess(scope?: string): Access<UserPrincipal> {
  return () => ({
    admits: { user: { scope } },
    admit: async (ctx) => {
      const token = readBearerToken(ctx.req, tokenMax)
      const user = await authenticateUser(ctx.service.context, requireServedApp(ctx), token)
      ctx.state.principal = user
      return requireUserScope(user, scope)
    },
  })
}

/** Admits anyone on the host of an application, and passes the application on. */
export const applicationAccess: Access<ServedApp> = () => ({
  admits: 'anyone',
  admit: async (ctx) => requireServedApp(ctx),
})

/** The application of the host that the request is for, which a route of such hosts has always. */
export function requireServedApp({ state: { app } }: Context): ServedApp {
  if (!app) throw new Error('a route of application hosts was called on the main host')
  return app
}
