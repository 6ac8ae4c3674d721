/** What a thread of projections and the thread that started it say to each other. */

import type { Holding } from './projectionLease.ts'
import type { Alarm, ProjectionState, Retried } from './projections.ts'

export type ToProjections =
  | { readonly kind: 'retry'; readonly id: number; readonly projection: string }
  | { readonly kind: 'hurry' }
  | { readonly kind: 'close' }

export type FromProjections =
  /** The stores are open; the projections run. */
  | { readonly kind: 'open' }
  | { readonly kind: 'not_opened'; readonly message: string }
  | { readonly kind: 'progress'; readonly states: readonly ProjectionState[] }
  | { readonly kind: 'holding'; readonly holding: Holding }
  | { readonly kind: 'alarm'; readonly alarm: Alarm }
  | { readonly kind: 'retried'; readonly id: number; readonly retried: Retried }
  | { readonly kind: 'retry_failed'; readonly id: number; readonly message: string }
  /** Everything is committed and closed. */
  | { readonly kind: 'closed' }

/** The end of a line between two threads, as a `Worker` and a `MessagePort` are. */
export interface Line<Sent, Received> {
  readonly postMessage: (message: Sent) => void
  readonly on: (event: 'message', listener: (message: Received) => void) => unknown
}
