/** Declares the Koa context of a request, with the state that middleware stores on it. */

import type { ParameterizedContext } from 'koa'
import type { Service } from '../../app/serviceContext.ts'
import type { Principal } from '../../domain/principal.ts'
import type { ServedApp } from '../../domain/sessions/appSettings.ts'
import type { RequestConditions } from './requestHeaders.ts'
import type { Route } from './route.ts'

export interface RequestState {
  /** UUID; answered as `X-Request-Id` and in error bodies. */
  requestId: string
  /** The label before the session domain in the host name; undefined for the main host. */
  sessionHost?: string
  /** The host of an application as the request named it, in lower case, with its port if it has one. */
  authority?: string
  /** Whether a proxy has forwarded the host of an application as another one. */
  hasHostMismatch?: boolean
  /** The application of that host, once found. */
  app?: ServedApp
  /** The token of the session of the console that the request belongs to. */
  consoleToken?: string
  /** The route of its path and method, once found. */
  route?: Route
  /** The authenticated caller, once known. */
  principal?: Principal
  /** The same as the route needs it. */
  caller?: unknown
  /** What its path, query and headers say, once checked. */
  checked?: {
    readonly ids: Readonly<Record<string, string>>
    readonly query: unknown
    readonly conditions: RequestConditions
  }
  /** What its body says, once read. */
  body?: unknown
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

/** What the application puts on the context of every request. */
export interface WithService {
  readonly service: Service
}

export type Context = ParameterizedContext<RequestState, Routed & WithService>
