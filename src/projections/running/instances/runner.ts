/** Runs the projections: those near the end of the log together, the others beside them. */

import { Failure } from '../../../domain/failure.ts'
import { wordsOf } from '../attempt.ts'
import { leaveInstance, noneRetried, retryInstance, sumOf } from '../parking/retryParked.ts'
import type { Alarm, ProjectionState, Projections, Retried } from '../projections.ts'
import { noteCaughtUp } from '../readiness.ts'
import { removeEnded } from '../removeEnded.ts'
import { sharedProgress } from '../sharing/sharedProgress.ts'
import { tombstoneSweep } from '../tombstoneSweep.ts'
import { catchUp } from './catchUp.ts'
import { followTogether } from './followTogether.ts'
import type { ProjectionInstance } from './projectionInstance.ts'
import {
  newRuntime,
  type Pace,
  publish,
  type Runtime,
  type RuntimeOptions,
  waitingOut,
} from './runtime.ts'
import { startInstances } from './startInstances.ts'
import { statesAtRest } from './states.ts'

export interface RunnerOptions
  extends Pick<
    RuntimeOptions,
    'eventStore' | 'readStore' | 'projections' | 'decode' | 'onOtherLog'
  > {
  readonly onAlarm?: (alarm: Alarm) => void
  readonly onProgress?: (states: readonly ProjectionState[]) => void
  readonly pace?: Partial<Pace>
  /** Milliseconds of a clock that is never put forward or back. */
  readonly elapsedMs?: () => number
}

const usualPace: Pace = {
  backoffMs: 50,
  backoffMaxMs: 5_000,
  pageMax: 1_000,
  restMs: 60,
  awaitedRestMs: 5,
  endingsEveryMs: 60_000,
}

/**
 * Starts the projections of these stores. It does not wait for them: until they have read their checkpoints they show as
 * catching up at the start of the log. What the result can do says `Projections`; nothing of it throws for an outage.
 */
export function startRunner(options: RunnerOptions): Projections {
  const stop = new AbortController()
  const board = sharedProgress(statesAtRest(options.projections), () => runtime.rest.hurry())
  const show = (states: readonly ProjectionState[]): void => {
    board.update(states)
    options.onProgress?.(states)
  }
  const runtime = newRuntime({
    ...options,
    onAlarm: options.onAlarm ?? (() => undefined),
    onProgress: show,
    elapsedMs: options.elapsedMs ?? (() => performance.now()),
    pace: { ...usualPace, ...options.pace },
    signal: stop.signal,
  })
  const done = run(runtime).catch((error: unknown) => {
    const message = `the projections cannot start: ${wordsOf(error)}`
    show(statesAtRest(options.projections, message))
    runtime.onAlarm({ kind: 'stopped', message })
  })

  return {
    ...board,
    hurry: () => runtime.rest.hurry(),
    retryParked: (projection) => runtime.turn(() => retryParked(runtime, projection)),
    close: async () => {
      stop.abort()
      await done
      board.close()
    },
  }
}

async function run(runtime: Runtime): Promise<void> {
  const started = await waitingOut(runtime, () => startInstances(runtime))
  if (!started) return
  runtime.members = started.members
  runtime.resting = started.resting
  const moving = started.members.filter(({ stopped }) => stopped === undefined)
  const foremost = Math.max(0, ...moving.map(({ position }) => position))
  const near = await nearOf(runtime, moving, foremost)
  for (const member of near) runtime.group.add(member)
  runtime.together = Math.min(...near.map(({ position }) => position), foremost)
  publish(runtime)
  const head = await waitingOut(runtime, () => runtime.eventStore.head())
  for (const member of near) {
    if (head !== undefined) await noteCaughtUp(runtime, member, head)
  }
  const far = moving.filter((member) => !runtime.group.has(member))
  await Promise.all([
    followTogether(runtime, tombstoneSweep()),
    removeEnded(runtime),
    ...far.map((member) => catchUp(runtime, member)),
  ])
}

/** Those with at most a page of events to read until they are where the foremost is: they follow the log together with it. */
async function nearOf(
  runtime: Runtime,
  members: readonly ProjectionInstance[],
  foremost: number,
): Promise<readonly ProjectionInstance[]> {
  const near: ProjectionInstance[] = []
  for (const member of members) {
    const page = { after: member.position, limit: runtime.pace.pageMax }
    const read = () => runtime.eventStore.readAll(page)
    const events = member.position < foremost ? await waitingOut(runtime, read) : []
    const reached = events?.at(-1)?.position ?? member.position
    if (reached >= foremost) near.push(member)
  }
  return near
}

async function retryParked(runtime: Runtime, projection: string): Promise<Retried> {
  if (runtime.members.length === 0) {
    throw new Failure('unavailable', 'The projections have not started yet; try again.', {
      retryAfterSeconds: 1,
    })
  }
  let retried = noneRetried
  for (const member of runtime.members) {
    if (member.projection.name !== projection) continue
    const retry = member.stopped === undefined ? retryInstance : leaveInstance
    retried = sumOf(retried, await retry(runtime, member))
  }
  publish(runtime)
  return retried
}
