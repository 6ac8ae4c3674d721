/** Refuses a log whose events are of another epoch: they cannot be read, and nothing would say so before one is asked for. */

import { type EventMetadata, epoch } from '../../events/recording/event.ts'
import type { RecordedEvent } from '../../stores/eventStore.ts'

/** Throws an `Error` that says what to do; `first` is the first event of the log, if it has one. */
export function refuseOtherEpoch(first: RecordedEvent | undefined): void {
  if (!first) return
  const metadata = JSON.parse(first.metadata) as Partial<EventMetadata>
  if (metadata.epoch === epoch) return
  throw new Error(
    'Cannot use the event log: it was made by a development version of Vigil. Start with an empty folder, and with an empty EventStoreDB and MongoDB where those are set.',
  )
}
