/** Lists the projections for the operator: progress, lag and parked events. */

import { redacted } from '../../commands/operations/retryProjection.ts'
import type { Seen } from '../../domain/call.ts'
import {
  type ParkedEvent,
  parkedCollection,
  parkedEventOf,
} from '../../projections/running/parking.ts'
import {
  leftMax,
  type ProjectionState,
  type Projections,
} from '../../projections/running/projections.ts'
import type { QueryContext } from '../reading/context.ts'
import { lagsOf, type ProjectionHealth } from './readiness.ts'

export interface ProjectionView extends ProjectionHealth {
  /** The first of the parked events, in the order of the log; their errors hold no personal data. */
  readonly parked_events: readonly ParkedEvent[]
  /** Why the projection does not go on, without personal data. */
  readonly error?: string
}

/** What became of the parked events of a projection. */
export interface RetryView
  extends Pick<ProjectionView, 'name' | 'parked' | 'parked_events' | 'error'> {
  readonly applied: number
}

type Context = Pick<QueryContext, 'events' | 'clock' | 'documents'> & {
  readonly projections: Pick<Projections, 'progress' | 'position'>
}

/** Throws `unavailable` when a store does not answer. */
export async function listProjections(context: Context): Promise<Seen<readonly ProjectionView[]>> {
  const progress = context.projections.progress()
  const position = context.projections.position()
  const lags = await lagsOf(context, progress)
  const views = progress.map((one) => viewOf(context, one, lags.get(one.position) ?? 0))
  return { value: await Promise.all(views), position }
}

async function viewOf(
  { documents }: Pick<Context, 'documents'>,
  { name, version, position, status, parked, error }: ProjectionState,
  lag_seconds: number,
): Promise<ProjectionView> {
  const asked = { where: {}, limit: leftMax }
  const found = parked === 0 ? [] : await documents.find(parkedCollection({ name, version }), asked)
  return {
    ...{ name, version, position, lag_seconds, status },
    ...(error !== undefined && redacted({ error })),
    parked,
    parked_events: found.map((event) => redacted(parkedEventOf(event))),
  }
}
