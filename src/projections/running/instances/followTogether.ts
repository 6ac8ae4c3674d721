/** Follows the log once for all projections that are near its end. */

import { charsOf, type RecordedEvent } from '../../../stores/eventStore.ts'
import { wordsOf } from '../attempt.ts'
import { isBehind, noteCaughtUp } from '../readiness.ts'
import { pause } from '../retryOutages.ts'
import type { Sweep } from '../tombstoneSweep.ts'
import { eventBatch } from './eventBatch.ts'
import { publish, type Runtime, stepMembers, waitingOut } from './runtime.ts'

/** Until the runner is stopped. A subscription that ends or fails is taken up again after the last event handled. */
export async function followTogether(runtime: Runtime, sweep: Sweep): Promise<void> {
  const { signal, pace, eventStore, rest } = runtime
  let waitMs = pace.backoffMs
  const subscribe = async (): Promise<void> => {
    for await (const events of eventStore.follow(runtime.together, signal)) {
      await runtime.turn(() => handle(runtime, events))
      waitMs = pace.backoffMs
      if (signal.aborted) return
      await sweep(runtime)
      const size = { events: events.length, chars: charsOf(events) }
      await rest.after(size, runtime.elapsedMs(), signal)
    }
  }

  while (!signal.aborted) {
    await subscribe().catch((error: unknown) => noteOutage(runtime, wordsOf(error)))
    await pause(waitMs, signal)
    waitMs = Math.min(pace.backoffMaxMs, waitMs * 2)
    if (!signal.aborted) await waitingOut(runtime, eventStore.head)
    publish(runtime)
  }
}

async function handle(runtime: Runtime, delivered: readonly RecordedEvent[]): Promise<void> {
  // After a reconnection the store may begin with events that were handled before.
  const events = delivered.filter(({ position }) => position > runtime.together)
  const last = events.at(-1)
  if (!last) return
  const members = [...runtime.group]
  const head = members.some(isBehind)
    ? await waitingOut(runtime, () => runtime.eventStore.head())
    : undefined
  const batch = eventBatch(events, runtime.decode)
  await stepMembers(runtime, members, batch)
  for (const member of members) if (member.stopped !== undefined) runtime.group.delete(member)
  if (members.every((member) => member.stopped !== undefined || member.position >= last.position)) {
    runtime.together = last.position
  }
  publish(runtime)
  if (head === undefined) return
  for (const member of members) await noteCaughtUp(runtime, member, head)
}

function noteOutage(runtime: Runtime, words: string): void {
  if (runtime.signal.aborted) return
  for (const member of runtime.group) member.outage = words
  runtime.onAlarm({ kind: 'outage', message: `the log cannot be followed: ${words}` })
  publish(runtime)
}
