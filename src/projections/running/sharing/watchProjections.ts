/** Watches the projections that another instance runs, through the read store. */

import type { Checkpoint } from '../../../stores/readStore.ts'
import { wordsOf } from '../attempt.ts'
import { statesAtRest } from '../instances/states.ts'
import { type AskOptions, askForRetry } from '../parking/retryRequests.ts'
import type { Projection } from '../projection.ts'
import type { ProjectionState, Projections } from '../projections.ts'
import { pause } from '../retryOutages.ts'
import { type PublishedState, publishEveryMs, readPublished } from './publishedStates.ts'
import { sharedProgress } from './sharedProgress.ts'

/** Times that nothing may be published before nobody is taken to run them. */
const missedMax = 5

export interface WatchOptions {
  readonly readStore: AskOptions['readStore']
  /** As this program knows them. */
  readonly projections: readonly Projection[]
  readonly nowMs: () => number
  /** Names a request; see `askForRetry`. */
  readonly newId: AskOptions['newId']
  readonly onProgress?: (states: readonly ProjectionState[]) => void
  /** Told false when nobody is heard to run them any more, and true when somebody is again. */
  readonly onHeard?: (isHeard: boolean) => void
  /** How often it is looked. */
  readonly everyMs?: number
  /** How long it is waited for an answer of whoever runs them. */
  readonly withinMs?: number
}

/**
 * Watches the projections until it is closed. While no instance publishes states, or the read store does not answer, they are shown as
 * failing at their last known position, and no caller waits for them. Retries of parked events are requested through the read store.
 */
export function watchProjections(options: WatchOptions): Projections {
  const stop = new AbortController()
  // whoever runs them is told nothing: a question of its own in the read store would take longer than the rest
  const hurry = (): void => undefined
  const board = sharedProgress(statesAtRest(options.projections), hurry)
  const show = (states: readonly ProjectionState[]): void => {
    board.update(states)
    options.onProgress?.(states)
  }
  const done = keepLooking(options, show, stop.signal)
  return {
    ...board,
    hurry,
    retryParked: (projection) => askForRetry(options, projection),
    close: async () => {
      stop.abort()
      await done
      board.close()
    },
  }
}

async function keepLooking(
  options: WatchOptions,
  show: (states: readonly ProjectionState[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const { readStore, projections, everyMs = 100 } = options
  const isSilent = silence(options.nowMs)
  const hear = onChange(options.onHeard)
  let seen = statesAtRest(projections)
  while (!signal.aborted) {
    try {
      const published = await readPublished(readStore)
      const checkpoints = await readStore.checkpoints()
      const isHeard = !isSilent(published?.number)
      hear(isHeard)
      const error = isHeard ? undefined : 'no instance is heard to run it'
      seen = statesSeen(projections, { states: published?.states ?? [], checkpoints, error })
      show(seen)
    } catch (thrown) {
      show(seen.map((state) => ({ ...state, status: 'failing', error: wordsOf(thrown) })))
    }
    await pause(everyMs, signal)
  }
}

/** Tells on only what is new; at first somebody is taken to be heard. */
function onChange(tell: WatchOptions['onHeard']): (isHeard: boolean) => void {
  let last = true
  return (isHeard) => {
    if (isHeard !== last) tell?.(isHeard)
    last = isHeard
  }
}

/** Tells for each number that is seen whether it has been the same for too long, by the clock of who looks. */
function silence(nowMs: () => number): (number: number | undefined) => boolean {
  let last: { readonly number: number | undefined; readonly atMs: number } | undefined
  return (number) => {
    if (!last || last.number !== number) last = { number, atMs: nowMs() }
    return nowMs() - last.atMs > missedMax * publishEveryMs
  }
}

interface Seen {
  readonly states: readonly PublishedState[]
  readonly checkpoints: readonly Checkpoint[]
  /** Why nothing goes on. */
  readonly error: string | undefined
}

function statesSeen(
  projections: readonly Projection[],
  { states, checkpoints, error }: Seen,
): readonly ProjectionState[] {
  const published = states.filter(({ name }) => projections.some((own) => own.name === name))
  const unheard = statesAtRest(projections).filter(
    ({ name, version }) => !published.some((one) => one.name === name && one.version === version),
  )
  return [...unheard, ...published].map((state) => ({
    ...state,
    position: positionOf(state, checkpoints),
    active: activeOf(state.name, projections, checkpoints),
    ...(error !== undefined && { status: 'failing' as const, error }),
  }))
}

function positionOf(
  { name, version }: Pick<ProjectionState, 'name' | 'version'>,
  checkpoints: readonly Checkpoint[],
): number {
  const one = checkpoints.find((other) => other.projection === name && other.version === version)
  return one?.position ?? 0
}

/** The newest version that has caught up once, and that this program knows or has left behind. */
function activeOf(
  name: string,
  projections: readonly Projection[],
  checkpoints: readonly Checkpoint[],
): number | undefined {
  const own = projections.filter((one) => one.name === name).map(({ version }) => version)
  const ready = checkpoints
    .filter((one) => one.projection === name && one.ready && one.version <= Math.max(...own))
    .map(({ version }) => version)
  return ready.length === 0 ? undefined : Math.max(...ready)
}
