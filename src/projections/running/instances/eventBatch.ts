/** Decodes each event of a batch at most once, for all projections. */

import type { DecodedEvent } from '../../../events/recording/event.ts'
import type { RecordedEvent } from '../../../stores/eventStore.ts'
import { type Attempt, attempt } from '../attempt.ts'

export type Decode = (recorded: RecordedEvent) => DecodedEvent

export interface EventBatch {
  readonly events: readonly RecordedEvent[]
  /** The decoded event of this index, or why it cannot be decoded. */
  readonly decoded: (index: number) => Attempt<DecodedEvent>
}

/** The batch of these events. */
export function eventBatch(events: readonly RecordedEvent[], decode: Decode): EventBatch {
  const known: Attempt<DecodedEvent>[] = []
  return {
    events,
    decoded: (index) => {
      const recorded = events[index]
      if (!recorded) throw new Error(`no event ${index} in a batch of ${events.length}`)
      known[index] ??= attempt(() => decode(recorded))
      return known[index]
    },
  }
}
