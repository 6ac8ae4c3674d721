/** Declares the events of accepted data loss (stream `installation-losses`). */

import type { DomainEvent } from '../recording/event.ts'

/** The one stream of them. */
export const lossStream = 'installation-losses'

export type LossEvent =
  | DomainEvent<'LogLossAccepted', LogLossAccepted>
  | DomainEvent<'KeyLossAccepted', KeyLossAccepted>

interface LogLossAccepted {
  /** Where the log ended when the loss was accepted; 0 without an event. */
  readonly kept_position: number
  /** Positions whose events are lost, and that later events have again; absent when the log held other events than were seen. */
  readonly missing?: { readonly first: number; readonly last: number }
  /** Names of the files that had seen more. */
  readonly proven_by: readonly string[]
}

/** From before this event on, personal data may stand in the log whose key is lost; it was not erased. */
interface KeyLossAccepted {
  readonly reason: KeyLossReason
  /** The name that the file with the useless keys was given. */
  readonly set_aside?: string
}

/** Why keys cannot be had. */
export const keyLossReasons = [
  'gone',
  'damaged',
  'older_copy',
  'no_master_key',
  'other_master_key',
] as const

export type KeyLossReason = (typeof keyLossReasons)[number]
