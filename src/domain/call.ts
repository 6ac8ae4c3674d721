/** Declares calls of commands and queries, their results with the log position, and pages. */

import type { AccountPrincipal, Principal } from './principal.ts'
import type { EntityCondition } from './text/entityTag.ts'

/** One call, as the HTTP or command-line layer passes it on. */
export interface Call<Caller extends Principal = AccountPrincipal> {
  readonly principal: Caller
  /** UUID of the request, answered as `X-Request-Id` and in error bodies. */
  readonly requestId: string
  readonly idempotencyKey?: string
  /** The condition on the current resource for the command to change it. */
  readonly ifMatch?: EntityCondition
}

export interface WriteResult<Value> {
  readonly value: Value
  /** Position of the last event written, or of the last one read when nothing was written. */
  readonly position: number
  /** Whether every projection had passed the position before the answer. */
  readonly visible: boolean
}

export interface QueryResult<Value> {
  readonly value: Value
  /** The position of the read models when they answered. */
  readonly position: number
}

export interface PageRequest {
  readonly cursor?: string
  readonly limit: number
}

export interface Page<Item> {
  readonly items: readonly Item[]
  /** Absent on the last page. */
  readonly nextCursor?: string
}
