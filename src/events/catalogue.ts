/** Lists every event type; the only module that encodes, validates, upcasts, decodes, opens events. */

import { type AccountEvent, accountEvents } from './accounts/account.ts'
import {
  type SdkKeyUseEvent,
  sdkKeyUseEvents,
  type TokenUseEvent,
  tokenUseEvents,
} from './accounts/credentialUse.ts'
import { type CertificateEvent, type ErasureEvent, erasureEvents } from './audit/erasure.ts'
import { type ReplayEvent, replayEvents } from './audit/replay.ts'
import { type RetentionEvent, retentionEvents } from './audit/retention.ts'
import { type EvaluationEvent, evaluationEvents } from './evaluation/evaluation.ts'
import { type FeedbackEvent, feedbackEvents, type ReportedEvent } from './feedback/feedback.ts'
import { listEntryEvents, type NamedEntryEvent } from './lists/listEntry.ts'
import { type PhoneListEvent, phoneListEvents } from './lists/phoneList.ts'
import type { LossEvent } from './operations/loss.ts'
import { lossEvents } from './operations/lossEvents.ts'
import { eventCodec } from './recording/eventCodec.ts'
import { type ManagedEvent, managedRulebookEvents } from './rulebook/managedRulebook.ts'
import { type RulebookEvent, rulebookEvents } from './rulebook/rulebook.ts'
import { type AppEvent, appEvents } from './sessions/app.ts'
import { type IdentifierEvent, identifierEvents } from './sessions/identifier.ts'
import { type SessionEvent, sessionEvents } from './sessions/session.ts'
import { type UserEvent, userEvents } from './sessions/user.ts'
import { type DispatchEvent, dispatchEvents } from './signals/dispatch.ts'
import { type SenderIdEvent, senderIdEvents } from './verification/senderId.ts'
import { type TemplateEvent, templateEvents } from './verification/template.ts'

/** Every event type. A new stream type needs: its type here, its definitions below, a fixture of each event type. */
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
  | CertificateEvent
  | RetentionEvent
  | ReplayEvent

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
  audit: { ...erasureEvents, ...retentionEvents, ...replayEvents },
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

export const { versions, prepare, encode, decode, sealedUnder, openPersonal, openEvent } = codec
