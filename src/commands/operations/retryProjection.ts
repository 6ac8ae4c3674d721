/** Retries the parked events of a projection. */

import { Failure } from '../../domain/failure.ts'
import { redact } from '../../log.ts'

/** Characters of an error that are shown. */
const errorLengthMax = 500

interface Parked {
  readonly error?: string
}

/** The outcome of retrying the parked events of a projection. */
interface Retried<Event extends Parked> {
  readonly name: string
  readonly applied: number
  readonly parked: number
  /** The first of those that are parked still, in the order of the log. */
  readonly parked_events: readonly Event[]
  /** Why the projection does not go on, without personal data. */
  readonly error?: string
}

interface Context<Event extends Parked> {
  readonly projections: {
    readonly progress: () => readonly { readonly name: string; readonly error?: string }[]
    readonly retryParked: (name: string) => Promise<{
      readonly applied: number
      readonly parked: number
      readonly left: readonly Event[]
    }>
  }
}

/** Repeating it is no error. Throws `not_found`, `unavailable`. */
export async function retryProjection<Event extends Parked>(
  { projections }: Context<Event>,
  name: string,
): Promise<Retried<Event>> {
  const known = () => projections.progress().filter((one) => one.name === name)
  if (known().length === 0) throw new Failure('not_found', 'There is nothing of this name.')
  const { applied, parked, left } = await projections.retryParked(name)
  const error = known().find((one) => one.error !== undefined)?.error
  return {
    name,
    applied,
    parked,
    parked_events: left.map(redactError),
    ...(error !== undefined && redactError({ error })),
  }
}

/**
 * Same, with the message of its error fit for logs. Projections see personal fields sealed only; this is for personal
 * data where none should be, such as an address in the text of a rule.
 */
export function redactError<Failed extends Parked>(failed: Failed): Failed {
  const { error } = failed
  return error === undefined ? failed : { ...failed, error: redact(error).slice(0, errorLengthMax) }
}
