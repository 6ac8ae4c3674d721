/** The projections as their operator sees them. */

import type { ProjectionView, RetryView } from '../../service/operations/operationsPart.ts'
import { type Fields, optional, viewSchema } from '../request/fields.ts'
import { count, type Schema } from '../request/schema.ts'
import { projectionHealthFields } from './healthSchemas.ts'

const text: Schema = { type: 'string' }

type ParkedEvent = ProjectionView['parked_events'][number]

const parkedEvent: Schema = viewSchema<ParkedEvent>('ParkedEvent', {
  position: { ...count, description: 'Where the event stands in the log.' },
  type: text,
  stream: text,
  revision: { ...count, description: 'Where it stands in its stream.' },
  sequence: {
    ...text,
    description: 'What it belongs to, and what its later events wait with: a stream or a document.',
  },
  error: optional({
    ...text,
    description:
      'Why it could not be applied, without personal data; absent on events that wait behind another one.',
  }),
})

const parking = {
  parked_events: {
    type: 'array',
    description: 'The first 100 of them, in the order of the log.',
    items: parkedEvent,
  },
  error: optional({
    ...text,
    description: 'Why the projection does not go on; absent when it does.',
  }),
} satisfies Fields<Pick<ProjectionView, 'parked_events' | 'error'>>

const projection: Schema = viewSchema<ProjectionView>('Projection', {
  ...projectionHealthFields,
  ...parking,
})

export const projectionListSchema: Schema = viewSchema<{
  readonly projections: readonly ProjectionView[]
}>('ProjectionList', { projections: { type: 'array', items: projection } })

export const projectionRetrySchema: Schema = viewSchema<RetryView>('ProjectionRetry', {
  name: text,
  applied: { ...count, description: 'Events applied now, and parked no more.' },
  parked: projectionHealthFields.parked,
  ...parking,
})
