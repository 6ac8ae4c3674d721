/** Publishes the states of running projections in the read store, and reads them. */

import type { Checkpoint, Collection, DocumentBody, ReadStore } from '../../../stores/readStore.ts'
import { wordsOf } from '../attempt.ts'
import type { Alarm, ProjectionState } from '../projections.ts'
import { pause, retryOutages } from '../retryOutages.ts'

/** The published state of a projection; its position is in its checkpoint. */
export type PublishedState = Omit<ProjectionState, 'position' | 'active'>

/** What was published last. */
export interface Published {
  /** Rises with every time it is published, which is at least once in `publishEveryMs`. */
  readonly number: number
  readonly states: readonly PublishedState[]
}

/** How often it is published that nothing has changed. */
export const publishEveryMs = 1_000
/** How soon a change is published. */
const lookEveryMs = 100

const collection: Collection = { name: 'projection_states', version: 1, indexes: [] }
const id = 'running'
/** A commit needs one; there is nothing behind it to be handled. */
const checkpoint: Checkpoint = {
  projection: collection.name,
  version: collection.version,
  position: 0,
  ready: true,
  collections: [collection.name],
}

interface PublishOptions {
  readonly readStore: Pick<ReadStore, 'get' | 'checkpoints' | 'prepare' | 'commit'>
  readonly states: () => readonly ProjectionState[]
  readonly nowMs: () => number
  readonly onAlarm: (alarm: Alarm) => void
}

/** Publishes the states until it is closed. An outage of the store is waited out; anything else ends it with an alarm. */
export function publishStates(options: PublishOptions): { readonly close: () => Promise<void> } {
  const stop = new AbortController()
  const done = keepPublishing(options, stop.signal).catch((error: unknown) => {
    const message = `the states of the projections are not published any more: ${wordsOf(error)}`
    options.onAlarm({ kind: 'stopped', message })
  })
  return {
    close: async () => {
      stop.abort()
      await done
    },
  }
}

/** What was published last; undefined before the first time. Throws what the store throws. */
export async function readPublished(
  readStore: Pick<ReadStore, 'get' | 'checkpoints'>,
): Promise<Published | undefined> {
  const known = (await readStore.checkpoints()).some(
    ({ projection }) => projection === checkpoint.projection,
  )
  const found = known ? await readStore.get(collection, id) : undefined
  return (
    found && {
      number: found.position,
      states: found.body['states'] as unknown as readonly PublishedState[],
    }
  )
}

async function keepPublishing(
  { readStore, states, nowMs }: PublishOptions,
  signal: AbortSignal,
): Promise<void> {
  let last: { readonly number: number; readonly text: string; readonly atMs: number } | undefined
  while (!signal.aborted) {
    const atMs = nowMs()
    const body = { states: states().map(publishedOf) } as unknown as DocumentBody
    const text = JSON.stringify(body)
    const isDue = !last || text !== last.text || Math.abs(atMs - last.atMs) >= publishEveryMs
    if (isDue) {
      const number = await retryOutages(() => publish(readStore, body, last?.number), {
        signal,
        backoffMs: lookEveryMs,
        backoffMaxMs: publishEveryMs,
        // whoever runs the projections writes to the same store and has said it
        onOutage: () => undefined,
      })
      if (number !== undefined) last = { number, text, atMs }
    }
    await pause(lookEveryMs, signal)
  }
}

/** The number under which it was published. */
async function publish(
  readStore: PublishOptions['readStore'],
  body: DocumentBody,
  last: number | undefined,
): Promise<number> {
  if (last === undefined) await readStore.prepare([collection])
  const position = (last ?? (await readPublished(readStore))?.number ?? 0) + 1
  await readStore.commit([{ collection, id, position, body }], checkpoint)
  return position
}

function publishedOf({ position: _, active: __, ...state }: ProjectionState): PublishedState {
  return state
}
