import { accountEvents } from '../../src/events/accounts/accountEvents.ts'
import { sdkKeyUseEvents } from '../../src/events/accounts/sdkKeyUseEvents.ts'
import { tokenUseEvents } from '../../src/events/accounts/tokenUseEvents.ts'
import { erasureEvents } from '../../src/events/audit/erasureEvents.ts'
import { evaluationEvents } from '../../src/events/evaluation/evaluationEvents.ts'
import { feedbackEvents } from '../../src/events/feedback/feedbackEvents.ts'
import { listEntryEvents } from '../../src/events/lists/listEntryEvents.ts'
import { phoneListEvents } from '../../src/events/lists/phoneListEvents.ts'
import { lossEvents } from '../../src/events/operations/lossEvents.ts'
import { managedRulebookEvents } from '../../src/events/rulebook/managedRulebookEvents.ts'
import { rulebookEvents } from '../../src/events/rulebook/rulebookEvents.ts'
import { appEvents } from '../../src/events/sessions/appEvents.ts'
import { identifierEvents } from '../../src/events/sessions/identifierEvents.ts'
import { sessionEvents } from '../../src/events/sessions/sessionEvents.ts'
import { userEvents } from '../../src/events/sessions/userEvents.ts'
import { dispatchEvents } from '../../src/events/signals/dispatchEvents.ts'
import { senderIdEvents } from '../../src/events/verification/senderIdEvents.ts'
import { templateEvents } from '../../src/events/verification/templateEvents.ts'

/** A definition without its types. */
export interface Defined {
  readonly version: number
  readonly schema: { readonly required: readonly string[] }
  readonly personal: Readonly<Record<string, { readonly schema: object; readonly optional?: true }>>
}

/** Every definition, by its type. */
export const definitions = new Map<string, Defined>(
  Object.entries({
    ...accountEvents,
    ...tokenUseEvents,
    ...sdkKeyUseEvents,
    ...rulebookEvents,
    ...managedRulebookEvents,
    ...evaluationEvents,
    ...dispatchEvents,
    ...feedbackEvents,
    ...phoneListEvents,
    ...senderIdEvents,
    ...appEvents,
    ...userEvents,
    ...identifierEvents,
    ...sessionEvents,
    ...templateEvents,
    ...listEntryEvents,
    ...lossEvents,
    ...erasureEvents,
  }),
)
