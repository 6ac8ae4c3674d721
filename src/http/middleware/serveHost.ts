/** Sends a request to what its host serves. */

import type { Host } from '../request/route.ts'
import type { routeRequests } from './routeRequests.ts'

/** Serves a request, or throws what it is refused for. */
export type Serve = ReturnType<typeof routeRequests>

/** The main host, and those of applications: neither serves anything of the other. */
export function serveHost({ main, session }: Readonly<Record<Host, Serve>>): Serve {
  return (ctx) => (ctx.state.sessionHost === undefined ? main(ctx) : session(ctx))
}
