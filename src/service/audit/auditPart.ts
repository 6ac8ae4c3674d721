/** The audit's part of the service: what an auditor has to know of the history itself. */

import type { Call } from '../../domain/call.ts'
import { type KeyLossReason, keyLossReasons } from '../../events/operations/loss.ts'

export { keyLossReasons }

/** What was lost from the installation, and accepted by its owner. Times are ISO 8601 UTC. */
export interface LossView {
  /** `events`: a part of the history is gone. `keys`: personal data in it may not be opened any more, though nobody erased it. */
  readonly lost: 'events' | 'keys'
  readonly accepted_at: string
  /** Where the loss is recorded in the log. */
  readonly position: string
  /** Of events: where the log ended. */
  readonly kept_position?: string
  /** Of events: the positions that are lost; absent when they are not known. */
  readonly first_position?: string
  readonly last_position?: string
  /** Of keys: why they cannot be had. */
  readonly reason?: KeyLossReason
}

export interface AuditPart {
  /** The oldest first; they concern every account. */
  readonly listLosses: (call: Call) => Promise<readonly LossView[]>
}
