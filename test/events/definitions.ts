import { accountEvents } from '../../src/events/accounts/account.ts'
import { sdkKeyUseEvents, tokenUseEvents } from '../../src/events/accounts/credentialUse.ts'
import { erasureEvents, personErasureEvents } from '../../src/events/audit/erasure.ts'
import { replayEvents } from '../../src/events/audit/replay.ts'
import { retentionEvents } from '../../src/events/audit/retention.ts'
import { evaluationEvents } from '../../src/events/evaluation/evaluation.ts'
import { feedbackEvents, reportedEvents } from '../../src/events/feedback/feedback.ts'
import { listEntryEvents } from '../../src/events/lists/listEntry.ts'
import { phoneListEvents } from '../../src/events/lists/phoneList.ts'
import { lossEvents } from '../../src/events/operations/loss.ts'
import { managedRulebookEvents } from '../../src/events/rulebook/managedRulebook.ts'
import { rulebookEvents } from '../../src/events/rulebook/rulebook.ts'
import { appEvents } from '../../src/events/sessions/app.ts'
import { identifierEvents } from '../../src/events/sessions/identifier.ts'
import { sessionEvents } from '../../src/events/sessions/session.ts'
import { userEvents } from '../../src/events/sessions/user.ts'
import { dispatchEvents } from '../../src/events/signals/dispatch.ts'
import { senderIdEvents } from '../../src/events/verification/senderId.ts'
import { templateEvents } from '../../src/events/verification/template.ts'

/** A definition without its types. */
export interface Defined {
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
    ...reportedEvents,
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
    ...personErasureEvents,
    ...replayEvents,
    ...retentionEvents,
  }),
)
