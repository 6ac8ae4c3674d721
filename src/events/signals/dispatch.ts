/** The dispatch family: streams `dispatch-{digest of account and dispatch id}`. */

import type { Signals } from '../../domain/signals.ts'
import type { DomainEvent } from '../recording/event.ts'
import type { Personal } from '../recording/sealing.ts'

export type DispatchEvent = DomainEvent<
  'SignalsDispatched',
  {
    /** Keyed digest of the dispatch id: the subject and the stream. */
    readonly dispatch: string
    readonly signals: Personal<Signals>
  }
>
