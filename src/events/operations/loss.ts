/** Declares the events of accepted data loss (stream `installation-losses`). */

import { defineNonPersonalEvent, type EventOf } from '../recording/eventDefinition.ts'
import { integerFrom, list, nonEmptyString, object, oneOf } from '../recording/eventSchema.ts'

/** The one stream of them. */
export const lossStream = 'installation-losses'

/** Why keys cannot be had. */
export const keyLossReasons = [
  'gone',
  'damaged',
  'older_copy',
  'no_master_key',
  'other_master_key',
] as const
export type KeyLossReason = (typeof keyLossReasons)[number]

const place = integerFrom(0)

export const lossEvents = {
  LogLossAccepted: defineNonPersonalEvent(
    // where the log ended when the loss was accepted (0 without an event), and the files that had seen more
    { kept_position: place, proven_by: list(nonEmptyString) },
    // positions whose events are lost, and that later events have again; absent when the log held other events than
    // were seen
    { missing: object({ first: place, last: place }) },
  ),
  /**
   * From before this event on, personal data may stand in the log whose key is lost; `set_aside` is the file with the
   * useless keys.
   */
  KeyLossAccepted: defineNonPersonalEvent(
    { reason: oneOf(keyLossReasons) },
    { set_aside: nonEmptyString },
  ),
}

export type LossEvent = EventOf<typeof lossEvents>
