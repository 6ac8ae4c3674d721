/** Lists the losses of events and keys that the owner of the installation has accepted. */

import { isoTime } from '../../domain/text/isoTime.ts'
import { decode } from '../../events/catalogue.ts'
import {
  type KeyLossReason,
  keyLossReasons,
  type LossEvent,
  lossStream,
} from '../../events/operations/loss.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import { readPagesOfStream } from '../../stores/eventStore.ts'
import type { QueryContext } from '../reading/context.ts'

export { keyLossReasons }

/** What was lost from the installation, and accepted by its owner. Times are ISO 8601 UTC. */
export interface LossView {
  /** `events`: a part of the history is gone. `keys`: personal data in it may not be opened any more, though nobody erased it. */
  readonly lost: 'events' | 'keys'
  readonly accepted_at: string
  /** Where the loss is recorded in the log. */
  readonly position: string
  /** Of events: where the log ended. */
  readonly kept_position?: string
  /** Of events: the positions that are lost; absent when they are not known. */
  readonly first_position?: string
  readonly last_position?: string
  /** Of keys: why they cannot be had. */
  readonly reason?: KeyLossReason
}

/** All of them, the oldest first; they concern every account. Throws `unavailable` when the log cannot be read. */
export async function listLosses({
  events,
}: Pick<QueryContext, 'events'>): Promise<readonly LossView[]> {
  const losses: LossView[] = []
  for await (const page of readPagesOfStream(events, lossStream)) {
    losses.push(...page.map((recorded) => viewOf(decode(recorded) as DecodedEvent<LossEvent>)))
  }
  return losses
}

function viewOf({ event, metadata, position }: DecodedEvent<LossEvent>): LossView {
  const common = { accepted_at: isoTime(metadata.time), position: String(position) }
  if (event.type === 'KeyLossAccepted')
    return { lost: 'keys', ...common, reason: event.data.reason }
  const { kept_position, missing } = event.data
  return {
    lost: 'events',
    ...common,
    kept_position: String(kept_position),
    ...(missing && {
      first_position: String(missing.first),
      last_position: String(missing.last),
    }),
  }
}
