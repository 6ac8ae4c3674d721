/** How the service is. */

import { answeredObject, type Schema } from '../request/schema.ts'

const count: Schema = { type: 'integer', minimum: 0 }

export const livenessSchema: Schema = answeredObject('Liveness', {
  status: { type: 'string', enum: ['ok'] },
})

const projection: Schema = answeredObject('ProjectionHealth', {
  name: { type: 'string' },
  version: count,
  position: { type: 'integer', description: 'The last position folded in.' },
  lag: { ...count, description: 'Positions behind the head of the log.' },
  status: { type: 'string', enum: ['live', 'catching_up', 'failing'] },
  parked: { ...count, description: 'Events set aside because they could not be applied.' },
})

export const readinessSchema: Schema = answeredObject('Readiness', {
  ready: { type: 'boolean' },
  stores: {
    type: 'object',
    additionalProperties: { type: 'string', enum: ['ok', 'failing'] },
  },
  projections: { type: 'array', items: projection },
})
