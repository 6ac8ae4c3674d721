/** What was lost from the history, as an auditor sees it. */

import { keyLossReasons, type LossView } from '../../service/audit/auditPart.ts'
import { optional, viewSchema } from '../request/fields.ts'
import type { Schema } from '../request/schema.ts'

const position: Schema = { type: 'string', pattern: '^[0-9]+$' }
const time: Schema = { type: 'string', format: 'date-time' }

const loss: Schema = viewSchema<LossView>('Loss', {
  lost: {
    type: 'string',
    enum: ['events', 'keys'],
    description:
      '`events`: a part of the history is gone. `keys`: personal data in it may not be opened any more, though nobody erased it.',
  },
  accepted_at: time,
  position: { ...position, description: 'Where the loss is recorded in the log.' },
  kept_position: optional({ ...position, description: 'Of events: where the log ended.' }),
  first_position: optional({
    ...position,
    description: 'Of events: the first position that is lost; absent when it is not known.',
  }),
  last_position: optional({ ...position, description: 'Of events: the last one.' }),
  last_seen_at: optional({
    ...time,
    description: 'Of events: when the log was last seen with them.',
  }),
  reason: optional({
    type: 'string',
    enum: [...keyLossReasons],
    description: 'Of keys: why they cannot be had.',
  }),
})

export const lossListSchema: Schema = viewSchema<{ readonly losses: readonly LossView[] }>(
  'LossList',
  { losses: { type: 'array', items: loss } },
)
