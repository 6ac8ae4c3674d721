/** The projections as their operator sees them. */

import { answeredObject, type Schema } from '../request/schema.ts'

const count: Schema = { type: 'integer', minimum: 0 }
const text: Schema = { type: 'string' }

const parkedEvent: Schema = answeredObject(
  'ParkedEvent',
  {
    position: { ...count, description: 'Where the event stands in the log.' },
    type: text,
    stream: text,
    revision: { ...count, description: 'Where it stands in its stream.' },
    sequence: {
      ...text,
      description:
        'What it belongs to, and what its later events wait with: a stream or a document.',
    },
    error: {
      ...text,
      description:
        'Why it could not be applied, without personal data; absent on events that wait behind another one.',
    },
  },
  ['position', 'type', 'stream', 'revision', 'sequence'],
)

const parked = {
  parked: { ...count, description: 'Events set aside because they, or one before them, failed.' },
  parked_events: {
    type: 'array',
    description: 'The first 100 of them, in the order of the log.',
    items: parkedEvent,
  },
  error: { ...text, description: 'Why the projection does not go on; absent when it does.' },
}

const projection: Schema = answeredObject(
  'Projection',
  {
    name: text,
    version: count,
    position: { ...count, description: 'The last position folded in.' },
    lag: { ...count, description: 'Positions behind the head of the log.' },
    status: { type: 'string', enum: ['live', 'catching_up', 'failing'] },
    ...parked,
  },
  ['name', 'version', 'position', 'lag', 'status', 'parked', 'parked_events'],
)

export const projectionListSchema: Schema = answeredObject('ProjectionList', {
  projections: { type: 'array', items: projection },
})

export const projectionRetrySchema: Schema = answeredObject(
  'ProjectionRetry',
  {
    name: text,
    applied: { ...count, description: 'Events applied now, and parked no more.' },
    ...parked,
  },
  ['name', 'applied', 'parked', 'parked_events'],
)
