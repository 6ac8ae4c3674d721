/** Waits until the read models reach a log position (`min_position`), or fails after a timeout. */

import { invalidRequest, unavailable } from '../../domain/failure.ts'
import type { Projections } from '../../projections/running/projectionState.ts'
import type { EventStore } from '../../stores/eventStore.ts'

/** The read models, and the log that they follow. */
interface ReadState {
  readonly projections: Pick<Projections, 'waitFor' | 'position'>
  readonly events: Pick<EventStore, 'head'>
}

/** How long a question waits for the read models to pass the position it asks for. */
const askMs = 2_000

/**
 * The position of the read models, at least the one asked for: never a silent older answer. Throws `unavailable` when they do not
 * reach it in time.
 */
export async function waitForReadModels(
  { projections }: Pick<ReadState, 'projections'>,
  minPosition: number | undefined,
): Promise<number> {
  if (minPosition !== undefined && !(await projections.waitFor(minPosition, askMs))) {
    throw unavailable(
      `The read models stand at position ${projections.position()} and have not reached ${minPosition} in time.`,
    )
  }
  return projections.position()
}

/**
 * Waits until the read models have passed the position. Throws `invalid_request` at once for a position that no write can have
 * answered, since the log ends before it, and `unavailable` when it is not reached in time.
 */
export async function waitForMinPosition(context: ReadState, minPosition: number): Promise<void> {
  if (minPosition <= context.projections.position()) return
  const head = await context.events.head()
  if (minPosition > head) {
    const message = `Must be a position of the log, which ends at ${head}.`
    throw invalidRequest([{ path: 'min_position', message }])
  }
  await waitForReadModels(context, minPosition)
}
