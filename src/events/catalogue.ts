/** The one table of event types. It alone encodes, validates, upcasts, decodes and opens what stands in the log. */

import type { AccountEvent } from './accounts/account.ts'
import { accountEvents } from './accounts/accountEvents.ts'
import type { SdkKeyUseEvent } from './accounts/sdkKeyUse.ts'
import { sdkKeyUseEvents } from './accounts/sdkKeyUseEvents.ts'
import type { TokenUseEvent } from './accounts/tokenUse.ts'
import { tokenUseEvents } from './accounts/tokenUseEvents.ts'
import type { ErasureEvent } from './audit/erasure.ts'
import { erasureEvents } from './audit/erasureEvents.ts'
import type { EvaluationEvent } from './evaluation/evaluation.ts'
import { evaluationEvents } from './evaluation/evaluationEvents.ts'
import type { FeedbackEvent, ReportedEvent } from './feedback/feedback.ts'
import { feedbackEvents } from './feedback/feedbackEvents.ts'
import type { NamedEntryEvent } from './lists/listEntry.ts'
import { listEntryEvents } from './lists/listEntryEvents.ts'
import type { PhoneListEvent } from './lists/phoneList.ts'
import { phoneListEvents } from './lists/phoneListEvents.ts'
import type { LossEvent } from './operations/loss.ts'
import { lossEvents } from './operations/lossEvents.ts'
import { eventCodec } from './recording/eventCodec.ts'
import type { ManagedEvent } from './rulebook/managedRulebook.ts'
import { managedRulebookEvents } from './rulebook/managedRulebookEvents.ts'
import type { RulebookEvent } from './rulebook/rulebook.ts'
import { rulebookEvents } from './rulebook/rulebookEvents.ts'
import type { AppEvent } from './sessions/app.ts'
import { appEvents } from './sessions/appEvents.ts'
import type { IdentifierEvent } from './sessions/identifier.ts'
import { identifierEvents } from './sessions/identifierEvents.ts'
import type { SessionEvent } from './sessions/session.ts'
import { sessionEvents } from './sessions/sessionEvents.ts'
import type { UserEvent } from './sessions/user.ts'
import { userEvents } from './sessions/userEvents.ts'
import type { DispatchEvent } from './signals/dispatch.ts'
import { dispatchEvents } from './signals/dispatchEvents.ts'
import type { SenderIdEvent } from './verification/senderId.ts'
import { senderIdEvents } from './verification/senderIdEvents.ts'
import type { TemplateEvent } from './verification/template.ts'
import { templateEvents } from './verification/templateEvents.ts'

/** Every fact there is. A new family: its type here, its definitions below, a fixture of each type. */
export type VigilEvent =
  | AccountEvent
  | TokenUseEvent
  | SdkKeyUseEvent
  | RulebookEvent
  | ManagedEvent
  | EvaluationEvent
  | DispatchEvent
  | FeedbackEvent
  | ReportedEvent
  | PhoneListEvent
  | SenderIdEvent
  | AppEvent
  | UserEvent
  | IdentifierEvent
  | SessionEvent
  | TemplateEvent
  | NamedEntryEvent
  | LossEvent
  | ErasureEvent

/** By the area that they are of: so are the keys that their personal data is sealed under. */
const byArea = {
  accounts: { ...accountEvents, ...tokenUseEvents, ...sdkKeyUseEvents },
  rulebook: { ...rulebookEvents, ...managedRulebookEvents },
  signals: dispatchEvents,
  lists: { ...phoneListEvents, ...listEntryEvents },
  verification: { ...senderIdEvents, ...templateEvents },
  sessions: { ...appEvents, ...userEvents, ...identifierEvents, ...sessionEvents },
  evaluation: evaluationEvents,
  feedback: feedbackEvents,
  audit: erasureEvents,
  operations: lossEvents,
}

const codec = eventCodec<VigilEvent>(
  {
    ...byArea.accounts,
    ...byArea.rulebook,
    ...byArea.signals,
    ...byArea.lists,
    ...byArea.verification,
    ...byArea.sessions,
    ...byArea.evaluation,
    ...byArea.feedback,
    ...byArea.audit,
    ...byArea.operations,
  },
  new Map(
    Object.entries(byArea).flatMap(([area, definitions]) =>
      Object.keys(definitions).map((type) => [type, area] as const),
    ),
  ),
)

export const { versions, preparing, encode, decode, sealedUnder, openPersonal, openEvent } = codec
