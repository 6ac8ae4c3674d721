/** The answer to a batch (spec 2.8). */

import type { BatchReceived } from '../../service/feedback/feedbackPart.ts'
import { viewSchema } from '../request/fields.ts'
import type { Schema } from '../request/schema.ts'

export const batchReceivedSchema: Schema = viewSchema<BatchReceived>('BatchReceived', {
  status: { type: 'string', enum: ['success'] },
  request_id: {
    type: 'string',
    description:
      'Of the request that recorded the batch: of the first one, where an Idempotency-Key comes again.',
  },
})
