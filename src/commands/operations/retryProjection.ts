/** Retries the parked events of a projection. */

import { Failure } from '../../domain/failure.ts'
import { redactError } from '../../log.ts'

interface Parked {
  readonly error?: string
}

interface Context<Event extends Parked> {
  readonly projections: {
    readonly progress: () => readonly { readonly name: string; readonly error?: string }[]
    readonly retryParked: (name: string) => Promise<{
      readonly applied: number
      readonly parked: number
      /** The first of those that are parked still, in the order of the log. */
      readonly left: readonly Event[]
    }>
  }
}

/**
 * What became of the parked events, and why the projection does not go on. Repeating it is no error. Throws
 * `not_found`, `unavailable`.
 */
export async function retryProjection<Event extends Parked>(
  { projections }: Context<Event>,
  name: string,
) {
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
