/** Lists every event type; the only module that encodes, validates and decodes events. */

import { accountEvents } from './accounts/account.ts'
import { sdkKeyUseEvents, tokenUseEvents } from './accounts/credentialUse.ts'
import { backtestEvents } from './analysis/backtest.ts'
import { reviewEvents } from './analysis/review.ts'
import { savedSearchEvents } from './analysis/savedSearch.ts'
import { erasureEvents, personErasureEvents } from './audit/erasure.ts'
import { openingEvents } from './audit/opening.ts'
import { replayEvents } from './audit/replay.ts'
import { retentionEvents } from './audit/retention.ts'
import { counterWarmUpEvents } from './evaluation/counterWarmUp.ts'
import { evaluationEvents } from './evaluation/evaluationEvents.ts'
import { feedbackEvents, reportedEvents } from './feedback/feedbackEvents.ts'
import { listEntryEvents } from './lists/listEntry.ts'
import { lossEvents } from './operations/loss.ts'
import { buildEventCodec } from './recording/eventCodec.ts'
import type { EventOf } from './recording/eventDefinition.ts'
import { managedRulebookEvents } from './rulebook/managedRulebook.ts'
import { rulebookEvents } from './rulebook/rulebook.ts'
import { appEvents } from './sessions/appEvents.ts'
import { identifierEvents } from './sessions/identifier.ts'
import { sessionEvents } from './sessions/session.ts'
import { userEvents } from './sessions/user.ts'
import { dispatchEvents } from './signals/dispatch.ts'
import { senderIdEvents } from './verification/senderId.ts'
import { templateEvents } from './verification/template.ts'

/** Every event type, by the area under whose keys its personal data is sealed. A new one needs a fixture. */
export const definitionsByArea = {
  accounts: { ...accountEvents, ...tokenUseEvents, ...sdkKeyUseEvents },
  rulebook: { ...rulebookEvents, ...managedRulebookEvents },
  signals: dispatchEvents,
  lists: listEntryEvents,
  verification: { ...senderIdEvents, ...templateEvents },
  sessions: { ...appEvents, ...userEvents, ...identifierEvents, ...sessionEvents },
  evaluation: { ...evaluationEvents, ...counterWarmUpEvents },
  feedback: { ...feedbackEvents, ...reportedEvents },
  analysis: { ...backtestEvents, ...savedSearchEvents, ...reviewEvents },
  audit: {
    ...{ ...erasureEvents, ...personErasureEvents },
    ...{ ...openingEvents, ...retentionEvents, ...replayEvents },
  },
  operations: lossEvents,
}

type DefinitionsByArea = typeof definitionsByArea

export type VigilEvent = {
  [Area in keyof DefinitionsByArea]: EventOf<DefinitionsByArea[Area]>
}[keyof DefinitionsByArea]

const codec = buildEventCodec<VigilEvent>(definitionsByArea)

export const { versions, prepare, encode, decode, sealedUnder, openPersonal, openEvent } = codec
