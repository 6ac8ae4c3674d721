/** Waits until an instance reads what was written without waiting for it, or through another instance. */

import { eventually } from './eventually.ts'
import type { Instance } from './openTwoInstances.ts'

/** Resolves once the read models show the instance all that stands in the log now. */
export async function caughtUp({ context }: Pick<Instance, 'context'>): Promise<void> {
  const { events, projections } = context
  const head = await events.head()
  await eventually(() => projections.position() >= head)
}
