/** Retries the parked events of a projection. */

import { Failure } from '../../domain/failure.ts'
import { redactError } from '../../log.ts'
import type { Projections } from '../../projections/running/projectionState.ts'

interface Context {
  readonly projections: Pick<Projections, 'progress' | 'retryParked'>
}

/**
 * What became of the parked events, and why the projection does not go on. Repeating it is no error. Throws
 * `not_found`, `unavailable`.
 */
export async function retryProjection({ projections }: Context, name: string) {
  const known = () => projections.progress().filter((one) => one.name === name)
  if (known().length === 0) throw new Failure('not_found', 'There is nothing of this name.')
  const { left, ...retried } = await projections.retryParked(name)
  const error = known().find((one) => one.error !== undefined)?.error
  return {
    name,
    ...retried,
    parked_events: left.map(redactError),
    ...(error !== undefined && redactError({ error })),
  }
}
