/** What one request knows about itself on its way through the door. */

import type { ParameterizedContext } from 'koa'
import type { Principal } from '../../domain/principal.ts'
import type { ServedApp } from '../../domain/servedApp.ts'
import type { Admission } from './admission.ts'

export interface RequestState {
  /** UUID; answered as `X-Request-Id` and in error bodies. */
  requestId: string
  /** What stands before the domain of sessions in the host it is for; undefined for the main host. */
  sessionHost?: string
  /** Of a request for the host of an application the host as it was named, in lower case, with its port if one was named. */
  authority?: string
  /** The application of that host, once found. */
  app?: ServedApp
  /** The route that took the request, once one did: its path as a pattern. */
  route?: string
  /** Who calls, once known. */
  principal?: Principal
  /** What it may hold, and when it is served. */
  admission: Admission
  /** Ends its waiting for a place, while it waits. */
  giveUp?: () => void
  /** Counts the request against the rate of its token; rejects `rate_limited`. Absent when rates are not limited. */
  countRequest?: (ctx: Context, principal: Principal) => Promise<void>
  /** The code of the failure answered, if any. */
  failureCode?: string
  /** Whether the failure has no lines in the log, because too many like it had. */
  isUnlogged?: boolean
}

/** What the router leaves on the context. */
interface Routed {
  /** The parameters of the path of the route that took the request. */
  readonly params?: Readonly<Record<string, string>>
  /** Every route with the request's path, whatever its method. */
  readonly matched?: readonly { readonly methods: readonly string[] }[]
}

export type Context = ParameterizedContext<RequestState, Routed>
