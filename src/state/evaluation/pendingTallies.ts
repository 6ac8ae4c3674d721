/** Remembers what this instance has just recorded: counters of the same keys wait for it. */

import type { Tally } from '../../events/recording/tallies.ts'
import { buildCounterId, counterCollection } from '../../projections/evaluation/counters.ts'
import type { Projections } from '../../projections/running/projectionState.ts'

export interface PendingTalliesContext {
  /** By the id of the document: the position of the last event, in the order of the positions. */
  readonly pendingTallies: Map<string, number>
  readonly projections: Pick<Projections, 'passed' | 'waitFor'>
}

/** Keys remembered; more than are recorded within the second that a read model may be behind. */
const keysMax = 50_000

/** How long an answer waits: beyond it it is as of where the read models are. */
const waitMs = 250

/** Notes what an event counts in, recorded at this position. */
export function notePendingTallies(
  { pendingTallies: pending, projections }: PendingTalliesContext,
  { tallies, position }: { readonly tallies: readonly Tally[]; readonly position: number },
): void {
  for (const [series, key] of tallies) {
    const id = buildCounterId(series, key)
    pending.delete(id)
    pending.set(id, position)
  }
  const passed = projections.passed([counterCollection.projection])
  for (const [id, at] of pending) {
    if (at > passed && pending.size <= keysMax) break
    pending.delete(id)
  }
}

/** Waits, within a limit, until the documents have what this instance has recorded under their keys. */
export async function waitForPendingTallies(
  { pendingTallies: pending, projections }: PendingTalliesContext,
  ids: readonly string[],
): Promise<void> {
  const position = Math.max(0, ...ids.map((id) => pending.get(id) ?? 0))
  if (position <= projections.passed([counterCollection.projection])) return
  await projections.waitFor(position, waitMs)
}
