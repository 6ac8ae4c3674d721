/** The one table of event types. It alone encodes, validates, upcasts, decodes and opens what stands in the log. */

import type { AccountEvent } from './account.ts'
import { accountEvents } from './accountEvents.ts'
import type { DispatchEvent } from './dispatch.ts'
import { dispatchEvents } from './dispatchEvents.ts'
import type { EvaluationEvent } from './evaluation.ts'
import { evaluationEvents } from './evaluationEvents.ts'
import { eventCodec } from './eventCodec.ts'
import type { ManagedEvent } from './managedRulebook.ts'
import { managedRulebookEvents } from './managedRulebookEvents.ts'
import type { RulebookEvent } from './rulebook.ts'
import { rulebookEvents } from './rulebookEvents.ts'

/** Every fact there is. A new family: its type here, its definitions below, a fixture of each type. */
export type VigilEvent =
  | AccountEvent
  | RulebookEvent
  | ManagedEvent
  | EvaluationEvent
  | DispatchEvent

const codec = eventCodec<VigilEvent>({
  ...accountEvents,
  ...rulebookEvents,
  ...managedRulebookEvents,
  ...evaluationEvents,
  ...dispatchEvents,
})

export const { versions, encode, decode, sealedUnder, openPersonal, openEvent } = codec
