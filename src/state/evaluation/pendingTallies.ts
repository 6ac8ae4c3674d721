/** Remembers what was recorded here: counters of its keys wait for it, and accounts with many. */

import type { Tally } from '../../events/recording/tallies.ts'
import { buildCounterId, counterCollection } from '../../projections/evaluation/counters.ts'
import type { Projections } from '../../projections/running/projectionState.ts'

/** Keys that the documents may not have yet. */
interface PendingTallies {
  /** By the id of the document, in the order of the positions. */
  readonly keys: Map<string, PendingKey>
  /** How many of them are of an account. */
  readonly countOf: Map<string, number>
}

interface PendingKey {
  readonly account: string
  /** Of the last event. */
  readonly position: number
}

export interface PendingTalliesContext {
  readonly pendingTallies: PendingTallies
  readonly projections: Pick<Projections, 'active' | 'passed' | 'waitFor'>
}

/** Keys remembered; more than are recorded within the second that a read model may be behind. */
const keysMax = 50_000

/** Keys of an account that the documents may lack, half a second's: with more, counters of all would be late. */
const keysOfAccountMax = 6_000

/** How long an answer waits: beyond it it is as of where the read models are. */
const waitMs = 250
const waitsMax = 5

/** Notes what an event counts in, recorded at this position. */
export function notePendingTallies(
  context: PendingTalliesContext,
  account: string,
  { tallies, position }: { readonly tallies: readonly Tally[]; readonly position: number },
): void {
  const { keys, countOf } = context.pendingTallies
  for (const [series, key] of tallies) {
    const id = buildCounterId(series, key)
    forget(context.pendingTallies, id)
    keys.set(id, { account, position })
    countOf.set(account, (countOf.get(account) ?? 0) + 1)
  }
  forgetPassed(context)
}

function forgetPassed({ pendingTallies, projections }: PendingTalliesContext): void {
  const { keys } = pendingTallies
  const passed = projections.passed([counterCollection.projection])
  for (const [id, { position }] of keys) {
    if (position > passed && keys.size <= keysMax) break
    forget(pendingTallies, id)
  }
}

function forget({ keys, countOf }: PendingTallies, id: string): void {
  const account = keys.get(id)?.account
  if (account === undefined) return
  keys.delete(id)
  const left = (countOf.get(account) ?? 0) - 1
  if (left > 0) countOf.set(account, left)
  else countOf.delete(account)
}

/** Waits, within a limit, until the documents have what this instance has recorded under their keys. */
export async function waitForPendingTallies(
  { pendingTallies: { keys }, projections }: PendingTalliesContext,
  ids: readonly string[],
): Promise<void> {
  const position = Math.max(0, ...ids.map((id) => keys.get(id)?.position ?? 0))
  if (position <= projections.passed([counterCollection.projection])) return
  await projections.waitFor(position, waitMs)
}

/** Never while the documents are being built for the first time, which takes as long as it takes. */
export function hasManyPending(
  { pendingTallies: { countOf }, projections }: PendingTalliesContext,
  account: string,
): boolean {
  const isMany = (countOf.get(account) ?? 0) > keysOfAccountMax
  return isMany && projections.active(counterCollection.projection) !== undefined
}

/** Waits, within a limit, while the documents lack very many keys of the account. */
export async function waitForManyPending(
  context: PendingTalliesContext,
  account: string,
): Promise<void> {
  const { projections } = context
  for (let waits = 0; waits < waitsMax && hasManyPending(context, account); waits += 1) {
    const passed = projections.passed([counterCollection.projection])
    await projections.waitFor(passed + 1, waitMs / waitsMax)
    forgetPassed(context)
  }
}
