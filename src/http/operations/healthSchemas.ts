/** Declares the schemas of the liveness and readiness responses. */

import { count, optional, type Schema } from '../../domain/schema.ts'
import type { ProjectionHealth, Readiness } from '../../queries/operations/readiness.ts'
import { type Fields, viewSchema } from '../request/schema/fields.ts'

export const livenessSchema: Schema = viewSchema<{ readonly status: 'ok' }>('Liveness', {
  status: { type: 'string', enum: ['ok'] },
})

export const projectionHealthFields = {
  name: { type: 'string' },
  version: count,
  position: { type: 'integer', description: 'The last position folded in.' },
  lag_seconds: optional({
    type: 'number',
    minimum: 0,
    description:
      'For how long the first event has waited that is yet to be handled, at least 0.001 while there is one and 0 when there is none; absent when the log does not answer.',
  }),
  status: { type: 'string', enum: ['live', 'catching_up', 'failing'] },
  parked: { ...count, description: 'Events set aside because they, or one before them, failed.' },
} satisfies Fields<ProjectionHealth>

export const readinessSchema: Schema = viewSchema<Readiness>('Readiness', {
  ready: { type: 'boolean' },
  projected_by: {
    type: 'string',
    enum: ['this_instance', 'another_instance', 'nobody'],
    description:
      'Where the projections run; nobody: none has been heard of for five seconds, and what is read grows old.',
  },
  stores: {
    type: 'object',
    additionalProperties: { type: 'string', enum: ['ok', 'failing'] },
  },
  projections: {
    type: 'array',
    items: viewSchema<ProjectionHealth>('ProjectionHealth', projectionHealthFields),
  },
})
