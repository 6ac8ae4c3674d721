/** Publishes the states of running projections in the read store, and watches them from others. */

import type { Checkpoint, DocumentBody, ReadStore } from '../../stores/readStore.ts'
import { pause, retryOutages, runUntilClosed, wordsOf } from './outages.ts'
import type { Projection } from './projection.ts'
import {
  type Alarm,
  activeVersion,
  type ProjectionState,
  type Projections,
  statesAtRest,
} from './projections.ts'
import { type AskOptions, askForRetry, sharedCollection } from './retryParked.ts'
import { sharedProgress } from './sharedProgress.ts'

/** The published state of a projection; its position is in its checkpoint. */
type PublishedState = Omit<ProjectionState, 'position' | 'active'>

/** How often states are published that have not changed. */
const publishEveryMs = 1_000
/** How soon a change is published. */
const lookEveryMs = 100
/** After so many publications are missing, no instance is taken to run them. */
const missedMax = 5

const { collection, checkpoint, isPrepared } = sharedCollection('projection_states')
const id = 'running'

interface PublishOptions {
  readonly readStore: Pick<ReadStore, 'get' | 'checkpoints' | 'prepare' | 'commit'>
  readonly states: () => readonly ProjectionState[]
  readonly nowMs: () => number
  readonly onAlarm: (alarm: Alarm) => void
}

/** Publishes the states until it is closed. An outage of the store is waited out; anything else ends it with an alarm. */
export function publishStates(options: PublishOptions): { readonly close: () => Promise<void> } {
  return runUntilClosed((signal) =>
    keepPublishing(options, signal).catch((error: unknown) => {
      const message = `the states of the projections are not published any more: ${wordsOf(error)}`
      options.onAlarm({ kind: 'stopped', message })
    }),
  )
}

async function keepPublishing(
  { readStore, states, nowMs }: PublishOptions,
  signal: AbortSignal,
): Promise<void> {
  let last: { readonly number: number; readonly text: string; readonly atMs: number } | undefined
  while (!signal.aborted) {
    const atMs = nowMs()
    const published = states().map(({ position: _, active: __, ...state }) => state)
    const text = JSON.stringify(published)
    const isDue = !last || text !== last.text || Math.abs(atMs - last.atMs) >= publishEveryMs
    if (isDue) {
      const number = await retryOutages(() => publish(readStore, published, last?.number), {
        signal,
        backoffMs: lookEveryMs,
        backoffMaxMs: publishEveryMs,
        // the runner writes to the same store and has reported it
        onOutage: () => undefined,
      })
      if (number !== undefined) last = { number, text, atMs }
    }
    await pause(lookEveryMs, signal)
  }
}

/** The number of this publication, which rises with each. */
async function publish(
  readStore: PublishOptions['readStore'],
  states: readonly PublishedState[],
  last: number | undefined,
): Promise<number> {
  if (last === undefined) await readStore.prepare([collection])
  const position = (last ?? (await readPublished(readStore)).number ?? 0) + 1
  const body = { states } as unknown as DocumentBody
  await readStore.commit([{ collection, id, position, body }], checkpoint)
  return position
}

interface Published {
  /** Undefined before the first time. */
  readonly number: number | undefined
  readonly states: readonly PublishedState[]
  readonly checkpoints: readonly Checkpoint[]
}

/** Throws what the store throws. */
async function readPublished(
  readStore: Pick<ReadStore, 'get' | 'checkpoints'>,
): Promise<Published> {
  const checkpoints = await readStore.checkpoints()
  const found = isPrepared(checkpoints) ? await readStore.get(collection, id) : undefined
  const states = (found?.body['states'] ?? []) as unknown as readonly PublishedState[]
  return { number: found?.position, states, checkpoints }
}

export interface WatchOptions {
  readonly readStore: AskOptions['readStore']
  /** As this program knows them. */
  readonly projections: readonly Projection[]
  readonly nowMs: () => number
  /** Names a request; see `askForRetry`. */
  readonly newId: AskOptions['newId']
  readonly onProgress?: (states: readonly ProjectionState[]) => void
  /** Called with false when no instance is heard to run them any more, and with true when one is again. */
  readonly onHeard?: (isHeard: boolean) => void
  /** How often the states are read, and an answer is looked for. */
  readonly everyMs?: number
  /** How long a retry waits for the answer of the instance that runs them. */
  readonly withinMs?: number
}

/**
 * Watches the projections until it is closed. While no instance publishes states, or the read store does not answer, they are shown as
 * failing at their last known position, and no caller waits for them. Retries of parked events are requested through the read store.
 */
export function watchProjections(options: WatchOptions): Projections {
  // a request through the read store would take longer than the rest that it shortens
  const hurry = (): void => undefined
  const progress = sharedProgress(statesAtRest(options.projections), hurry)
  const show = (states: readonly ProjectionState[]): void => {
    progress.update(states)
    options.onProgress?.(states)
  }
  const watching = runUntilClosed((signal) => keepWatching(options, show, signal))
  return {
    ...progress,
    hurry,
    retryParked: (projection) => askForRetry(options, projection),
    close: async () => {
      await watching.close()
      progress.close()
    },
  }
}

async function keepWatching(
  { readStore, projections, nowMs, onHeard, everyMs = lookEveryMs }: WatchOptions,
  show: (states: readonly ProjectionState[]) => void,
  signal: AbortSignal,
): Promise<void> {
  let seen = statesAtRest(projections)
  let last: { readonly number: number | undefined; readonly atMs: number } | undefined
  let wasHeard = true
  while (!signal.aborted) {
    try {
      const published = await readPublished(readStore)
      const { number } = published
      if (last?.number !== number || !last) last = { number, atMs: nowMs() }
      const isHeard = nowMs() - last.atMs <= missedMax * publishEveryMs
      if (isHeard !== wasHeard) onHeard?.(isHeard)
      wasHeard = isHeard
      seen = statesSeen(projections, published, isHeard)
      show(seen)
    } catch (error) {
      show(seen.map((state) => ({ ...state, status: 'failing', error: wordsOf(error) })))
    }
    await pause(everyMs, signal)
  }
}

function statesSeen(
  projections: readonly Projection[],
  { states, checkpoints }: Published,
  isHeard: boolean,
): readonly ProjectionState[] {
  const published = states.filter(({ name }) => projections.some((own) => own.name === name))
  const others = statesAtRest(projections).filter(
    ({ name, version }) => !published.some((one) => one.name === name && one.version === version),
  )
  return [...others, ...published].map((state) => {
    const { name, version } = state
    const own = checkpoints.find((one) => one.projection === name && one.version === version)
    return {
      ...state,
      position: own?.position ?? 0,
      active: activeVersion(name, projections, checkpoints),
      ...(!isHeard && { status: 'failing' as const, error: 'no instance is heard to run it' }),
    }
  })
}
