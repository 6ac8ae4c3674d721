/** Lists the losses of events and keys on record, each accepted by the operator. */

import { openObject, optional, type TypeOf } from '../../domain/jsonSchema.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { decode } from '../../events/catalogue.ts'
import { keyLossReasons, type LossEvent, lossStream } from '../../events/operations/loss.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import { readPagesOfStream } from '../../stores/eventStore.ts'
import type { QueryContext } from '../reading/queryContext.ts'

const position = { type: 'string', pattern: '^[0-9]+$' } as const

const lossSchema = openObject('Loss', {
  lost: {
    type: 'string',
    enum: ['events', 'keys'],
    description:
      '`events`: part of the history is lost. `keys`: some personal data can no longer be opened, though it was not erased.',
  },
  accepted_at: { type: 'string', format: 'date-time' },
  position: { ...position, description: 'Position of the record of the loss.' },
  kept_position: optional({ ...position, description: 'For events: where the log ended.' }),
  first_position: optional({
    ...position,
    description: 'For events: the first lost position; absent when unknown.',
  }),
  last_position: optional({ ...position, description: 'For events: the last lost position.' }),
  reason: optional({
    type: 'string',
    enum: keyLossReasons,
    description: 'For keys: why they are lost.',
  }),
})
type LossView = TypeOf<typeof lossSchema>

export const dataLossListSchema = openObject('LossList', {
  losses: { type: 'array', items: lossSchema },
})

/** All of them, the oldest first; they concern every account. Throws `unavailable` when the log cannot be read. */
export async function listDataLosses({
  events,
}: Pick<QueryContext, 'events'>): Promise<readonly LossView[]> {
  const losses: LossView[] = []
  for await (const page of readPagesOfStream(events, lossStream)) {
    losses.push(...page.map((recorded) => toLossView(decode(recorded) as DecodedEvent<LossEvent>)))
  }
  return losses
}

function toLossView({ event, metadata, position }: DecodedEvent<LossEvent>): LossView {
  const common = { accepted_at: isoTime(metadata.time), position: String(position) }
  if (event.type === 'KeyLossAccepted')
    return { lost: 'keys', ...common, reason: event.data.reason }
  const { kept_position, missing } = event.data
  return {
    lost: 'events',
    ...common,
    kept_position: String(kept_position),
    ...(missing && { first_position: String(missing.first), last_position: String(missing.last) }),
  }
}
