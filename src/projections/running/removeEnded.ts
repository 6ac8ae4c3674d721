/** Deletes documents that have ended, in small steps between the batches of events. */

import { endedKeptMs } from '../../domain/lists/lists.ts'
import type { Change, StoredDocument } from '../../stores/readStore.ts'
import { checkpointOf, type ProjectionInstance } from './instances/projectionInstance.ts'
import { alone, type Runtime, waitingOut } from './instances/runtime.ts'
import type { Ending } from './projection.ts'
import { pause } from './retryOutages.ts'

/** Documents taken away at a time. */
const stepMax = 500

/** A time by the clock of the read store, and the end of the log then or later. */
interface Mark {
  readonly atMs: number
  readonly head: number
}

/**
 * Until the runner is stopped. What had ended for a while at a mark is taken away once the projection has passed the end that the log had
 * then: no event that would have made it stay is still to come, unless it is parked, and while any is nothing is taken. A restart begins
 * with a new mark.
 */
export async function removeEnded(runtime: Runtime): Promise<void> {
  const { signal, pace, eventStore, readStore } = runtime
  let mark: Mark | undefined
  while (!signal.aborted) {
    if (mark) await removeAsOf(runtime, mark)
    mark = await waitingOut(runtime, async () => {
      const atMs = await readStore.nowMs()
      return { atMs, head: await eventStore.head() }
    })
    await pause(pace.endingsEveryMs, signal)
  }
}

async function removeAsOf(runtime: Runtime, { atMs, head }: Mark): Promise<void> {
  for (const member of runtime.members) {
    for (const ending of member.projection.endings ?? []) {
      if (!mayEnd(runtime, member, head)) continue
      await removeAll(runtime, member, { ending, timeMs: atMs - endedKeptMs })
    }
  }
}

/** One that has not caught up once may not have the indexes by which its documents are found. */
function mayEnd({ group }: Runtime, member: ProjectionInstance, head: number): boolean {
  return group.has(member) && member.ready && member.position >= head && member.parked.count === 0
}

interface Ended {
  readonly ending: Ending
  readonly timeMs: number
}

async function removeAll(
  runtime: Runtime,
  member: ProjectionInstance,
  ended: Ended,
): Promise<void> {
  const { signal, pace } = runtime
  for (let isMore = true; isMore && !signal.aborted && member.stopped === undefined; ) {
    isMore = false
    const step = async (): Promise<void> => {
      isMore = await removeSome(runtime, member, ended)
    }
    await runtime.turn(() => alone(runtime, member, step))
    await pause(pace.restMs, signal)
  }
}

/** Whether there is more to take away. */
async function removeSome(
  { readStore }: Runtime,
  member: ProjectionInstance,
  { ending: { collection, field, takes }, timeMs }: Ended,
): Promise<boolean> {
  const found = await readStore.find(collection, {
    where: { [field]: { lte: timeMs } },
    sort: [field],
    limit: takes ? 1 : stepMax,
  })
  const [first] = found
  if (!first) return false
  const taken = takes?.(first.body)
  const beside = taken ? await readStore.find(taken.collection, { ...taken, limit: stepMax }) : []
  const isLast = beside.length < stepMax
  const changes = [
    ...(taken ? beside.map((one) => deletionOf(taken.collection, one)) : []),
    ...(isLast ? found.map((one) => deletionOf(collection, one)) : []),
  ]
  await readStore.commit(changes, checkpointOf(member))
  return takes !== undefined || found.length === stepMax
}

/** At its own position: an event that comes after it finds no document, and makes another one. */
function deletionOf(
  collection: Change['collection'],
  { id, position }: Pick<StoredDocument, 'id' | 'position'>,
): Change {
  return { collection, id, position, body: null }
}
