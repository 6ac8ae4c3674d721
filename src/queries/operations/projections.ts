/** Lists projections with progress, lag and parked events, and declares the retry report. */

import type { QueryResult } from '../../domain/call.ts'
import { countSchema, openObject, optional, type TypeOf, text } from '../../domain/jsonSchema.ts'
import { redactError } from '../../log.ts'
import { defineParkedCollection, readParkedEvent } from '../../projections/running/parkedEvents.ts'
import {
  type ProjectionState,
  type Projections,
  reportedParkedMax,
} from '../../projections/running/projectionState.ts'
import type { QueryContext } from '../reading/queryContext.ts'
import { measureLagSeconds, projectionHealthFields } from './readiness.ts'

const parkedEventSchema = openObject('ParkedEvent', {
  position: { ...countSchema, description: 'Position of the event in the log.' },
  type: text,
  stream: text,
  revision: { ...countSchema, description: 'Revision in its stream.' },
  sequence: { ...text, description: 'The stream or document whose later events wait behind it.' },
  account: { ...text, description: 'Whose the event is; empty where that cannot be read.' },
  error: optional({
    ...text,
    description:
      'Why it could not be applied, without personal data; absent for events parked behind another.',
  }),
})

const parking = {
  parked_events: {
    type: 'array',
    description: 'The first 100 of them, in the order of the log.',
    items: parkedEventSchema,
  },
  error: optional({ ...text, description: 'Why the projection is stopped; absent while it runs.' }),
} as const

const projectionSchema = openObject('Projection', { ...projectionHealthFields, ...parking })
export type ProjectionView = TypeOf<typeof projectionSchema>

export const projectionListSchema = openObject('ProjectionList', {
  projections: { type: 'array', items: projectionSchema },
})

export const projectionRetrySchema = openObject('ProjectionRetry', {
  name: text,
  applied: { ...countSchema, description: 'Events applied now, no longer parked.' },
  parked: projectionHealthFields.parked,
  ...parking,
})
export type RetryView = TypeOf<typeof projectionRetrySchema>

type Context = Pick<QueryContext, 'events' | 'clock' | 'documents'> & {
  readonly projections: Pick<Projections, 'progress' | 'position'>
}

/** Throws `unavailable` when a store does not answer. */
export async function listProjections(
  context: Context,
): Promise<QueryResult<readonly ProjectionView[]>> {
  const progress = context.projections.progress()
  const position = context.projections.position()
  const lags = await measureLagSeconds(context, progress)
  const views = progress.map((one) => readProjectionView(context, one, lags.get(one.position) ?? 0))
  return { value: await Promise.all(views), position }
}

async function readProjectionView(
  { documents }: Pick<Context, 'documents'>,
  { name, version, position, status, parked, error }: ProjectionState,
  lag_seconds: number,
): Promise<ProjectionView> {
  const asked = { where: {}, limit: reportedParkedMax }
  const found =
    parked === 0 ? [] : await documents.find(defineParkedCollection({ name, version }), asked)
  return {
    name,
    version,
    position,
    lag_seconds,
    status,
    ...(error !== undefined && redactError({ error })),
    parked,
    parked_events: found.map((event) => redactError(readParkedEvent(event))),
  }
}
