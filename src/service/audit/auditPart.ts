/** The audit's part of the service: what an auditor has to know of the history itself. */

import type { Call, Written } from '../../domain/call.ts'
import { erasedKinds } from '../../events/audit/erasure.ts'
import { type KeyLossReason, keyLossReasons } from '../../events/operations/loss.ts'

export { erasedKinds, keyLossReasons }

/** Who is to be erased: a number or an address in canonical form, or a user with all theirs. */
export type ErasedPerson =
  | { readonly kind: 'phone_number' | 'email_address'; readonly value: string }
  | { readonly kind: 'user'; readonly appId: string; readonly userId: string }

export interface ErasureInput {
  readonly person: ErasedPerson
  readonly reason?: string
}

/** The certificate of an erasure: it says what was erased, and never whom. Times are ISO 8601 UTC, positions those of the log. */
export interface ErasureView {
  readonly id: string
  readonly kind: ErasedPerson['kind']
  readonly reason?: string
  /** The id of the token. */
  readonly requested_by: string
  readonly requested_at: string
  readonly erased_at: string
  /** How many sealing keys are destroyed, those of earlier erasures of the person among them. */
  readonly keys: number
  /** Whose evidence was erased. */
  readonly evaluations: number
  readonly dispatches: number
  readonly users: number
  /** Of the certificate. */
  readonly position: string
  /** Of every record that keys of the person were destroyed. */
  readonly erasures: readonly string[]
}

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

export interface RetentionInput {
  readonly evaluations_days: number
}

export interface RetentionView {
  /** Absent while evidence is kept for ever. */
  readonly evaluations_days?: number
  /** Evaluations up to this time have no evidence any more; ISO 8601 UTC. */
  readonly erased_until?: string
  /** Since it was set. */
  readonly evaluations_erased: number
  readonly keys_destroyed: number
}

export interface AuditPart {
  /** The oldest first; they concern every account. */
  readonly listLosses: (call: Call) => Promise<readonly LossView[]>
  readonly erasures: {
    /** Again is no error, and finishes what an earlier one had begun. */
    readonly erase: (call: Call, input: ErasureInput) => Promise<Written<ErasureView>>
    readonly get: (call: Call, id: string) => Promise<ErasureView>
  }
  readonly retention: {
    readonly get: (call: Call) => Promise<RetentionView>
    /** Again begins with the oldest evaluation again: where older keys were restored, they are destroyed once more. */
    readonly set: (call: Call, input: RetentionInput) => Promise<Written<RetentionView>>
    /** Again is no error. */
    readonly end: (call: Call) => Promise<Written<RetentionView>>
  }
}
