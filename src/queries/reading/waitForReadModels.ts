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
 * Waits for the read models to pass the position: never a silent older answer. Throws `unavailable` when they do not
 * reach it in time.
 */
export async function waitForReadModels(
  { projections }: Pick<ReadState, 'projections'>,
  position: number,
): Promise<void> {
  if (await projections.waitFor(position, askMs)) return
  throw unavailable(
    `The read models stand at position ${projections.position()} and have not reached ${position} in time.`,
  )
}

/**
 * Throws `invalid_request` naming each position that no answer can have said, since the log ends before it. The log is
 * asked only about what the read models have not passed.
 */
export async function requireLogPositions(
  { projections, events }: ReadState,
  asked: Readonly<Record<string, number | undefined>>,
): Promise<void> {
  const reached = projections.position()
  if (Object.values(asked).every((position = 0) => position <= reached)) return
  const head = await events.head()
  const details = Object.entries(asked)
    .filter(([, position = 0]) => position > head)
    .map(([path]) => ({ path, message: `Must be a position of the log, which ends at ${head}.` }))
  if (details.length > 0) throw invalidRequest(details)
}
