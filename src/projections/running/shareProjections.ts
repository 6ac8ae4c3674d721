/** Runs the projections alone, or shares them between instances under a lease. */

import { once } from 'node:events'
import { messageOf, unavailable } from '../../domain/failure.ts'
import { sleep } from '../../stores/backgroundLoop.ts'
import { type Lease, LeaseLost, type LeaseRequest } from '../../stores/lease.ts'
import { readStoreWrites, type SharedReadStore } from '../../stores/readStore.ts'
import { withErrorReporting } from '../../stores/withErrorReporting.ts'
import {
  initialStates,
  type LeaseStatus,
  noOwnerStatus,
  otherOwnerStatus,
  type ProjectionRun,
  type ProjectionState,
  type RetryResult,
  type SharedProjections,
} from './projectionState.ts'
import {
  publishProjections,
  type WatchOptions,
  watchProjections,
} from './projectionStateExchange.ts'
import { type RunnerOptions, startRunner } from './runner.ts'
import { trackProgress } from './trackProgress.ts'

const leaseName = 'projections'

/** In ms. */
export interface LeaseTimes {
  /** How long it is granted: another instance takes over at most this long after the holder died. */
  readonly forMs: LeaseRequest['forMs']
  /** How often the holder renews it. */
  readonly renewEveryMs: number
  /** How often the others ask for it. */
  readonly askEveryMs: number
}

/** A holder may miss four renewals, so that a busy disk or a short outage moves nothing to another instance. */
export const leaseTimes: LeaseTimes = { forMs: 10_000, renewEveryMs: 2_000, askEveryMs: 1_000 }

export interface ShareOptions
  extends Omit<RunnerOptions, 'readStore'>,
    Pick<WatchOptions, 'newId' | 'everyMs' | 'withinMs'> {
  readonly readStore: SharedReadStore
  /** Times published states and retry requests; leases, and documents that end, go by the clock of the read store. */
  readonly nowMs: () => number
  /** This instance: an owner that begins anew gets its own lease again without waiting for its end. */
  readonly owner: string
  /** False for an instance that only watches; true unless given. */
  readonly mayRun?: boolean
  readonly times?: LeaseTimes
  /**
   * Called when this instance gets or loses the lease, when no instance is heard to run them any more, and when one is
   * again.
   */
  readonly onLeaseStatus: (leaseStatus: LeaseStatus) => void
}

interface ShareState extends ShareOptions {
  readonly times: LeaseTimes
  /** Aborted when they are closed. */
  readonly signal: AbortSignal
  /** The projections that run or are watched now. */
  current: ProjectionRun | undefined
}

/** Runs the projections of a store that no other instance uses, until it is closed. */
export function runAlone(
  options: RunnerOptions & Pick<ShareOptions, 'onLeaseStatus'>,
): Omit<SharedProjections, 'leaseStatus'> {
  const progress = trackProgress(initialStates(options.projections), () => run.shortenDelay())
  const onProgress = (states: readonly ProjectionState[]): void => {
    progress.update(states)
    options.onProgress(states)
  }
  options.onLeaseStatus({ ...otherOwnerStatus, isOwner: true })
  const run = startRunner({ ...options, onProgress })
  return { ...progress, ...run, close: () => run.close().finally(progress.close) }
}

/**
 * Runs or watches the projections until it is closed, and shows their states in both cases. It waits for nothing: until
 * it is known which instance runs them they show as catching up at the start of the log. Closing releases the lease, so
 * that another takes over at once.
 */
export function shareProjections(options: ShareOptions): Omit<SharedProjections, 'leaseStatus'> {
  const stop = new AbortController()
  const shortenDelay = (): void => sharing.current?.shortenDelay()
  const progress = trackProgress(initialStates(options.projections), shortenDelay)
  const sharing: ShareState = {
    ...options,
    times: options.times ?? leaseTimes,
    signal: stop.signal,
    current: undefined,
    onProgress: (states) => {
      progress.update(states)
      options.onProgress(states)
    },
  }
  const done = keepSharing(sharing)
  return {
    ...progress,
    shortenDelay,
    retryParked: (projection) => retryParkedIn(sharing, projection),
    close: async () => {
      stop.abort()
      await done
      progress.close()
    },
  }
}

async function retryParkedIn({ current }: ShareState, projection: string): Promise<RetryResult> {
  try {
    if (current) return await current.retryParked(projection)
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error
  }
  throw unavailable('It is not settled yet which instance runs the projections.')
}

async function keepSharing(sharing: ShareState): Promise<void> {
  while (!sharing.signal.aborted) {
    const lease = await watchUntilGranted(sharing)
    if (lease) await runUntilLost(sharing, lease)
  }
}

/** Undefined when it was closed first. */
async function watchUntilGranted(sharing: ShareState): Promise<Lease | undefined> {
  const { signal, times, onLeaseStatus, mayRun = true } = sharing
  const acquire = tolerateOutages('it cannot be asked who runs the projections', sharing, () =>
    sharing.readStore.leases.acquire({ name: leaseName, owner: sharing.owner, forMs: times.forMs }),
  )
  const onPublishing = (isPublished: boolean): void =>
    onLeaseStatus(isPublished ? otherOwnerStatus : noOwnerStatus)
  let watched: ProjectionRun | undefined
  let lease: Lease | undefined
  while (!signal.aborted) {
    lease = mayRun ? await acquire() : undefined
    if (lease) break
    watched ??= watchProjections({ ...sharing, onPublishing })
    sharing.current = watched
    await sleep(times.askEveryMs, signal)
  }
  await watched?.close()
  return lease
}

/** Asks the store; an outage gives undefined, and an alarm for the first failure of a row. */
function tolerateOutages<Value>(
  what: string,
  { onAlarm }: Pick<ShareState, 'onAlarm'>,
  ask: () => Promise<Value>,
): () => Promise<Value | undefined> {
  let isAway = false
  return async () => {
    try {
      const value = await ask()
      isAway = false
      return value
    } catch (error) {
      if (!isAway) onAlarm({ kind: 'outage', message: `${what}: ${messageOf(error)}` })
      isAway = true
      return undefined
    }
  }
}

/**
 * Runs the projections and renews the lease until it is lost or they are closed, and releases it. Errors caused by the
 * loss raise no alarm: another instance goes on.
 */
async function runUntilLost(sharing: ShareState, lease: Lease): Promise<void> {
  const { nowMs, signal, readStore: store } = sharing
  const lost = new AbortController()
  const ended = AbortSignal.any([signal, lost.signal])
  const onLost = (): void => lost.abort()
  const unlessLost =
    <Told>(tell: (told: Told) => void) =>
    (told: Told): void => {
      if (!lost.signal.aborted) tell(told)
    }
  const onAlarm = unlessLost(sharing.onAlarm)
  const readStore = withErrorReporting(store.withLease(lease), readStoreWrites, (error) => {
    if (error instanceof LeaseLost) onLost()
  })
  const show = unlessLost(sharing.onProgress)
  let states = initialStates(sharing.projections)
  const onProgress = (now: readonly ProjectionState[]): void => {
    states = now
    show(now)
  }
  const runner = startRunner({ ...sharing, readStore, onAlarm, onProgress })
  const projections = { progress: () => states, retryParked: runner.retryParked }
  const served = publishProjections({ readStore, projections, nowMs, onAlarm })
  sharing.current = runner
  sharing.onLeaseStatus({ isOwner: true, fence: lease.fence, isRunning: true })

  const renewing = keepRenewing({ ...sharing, onAlarm, signal: ended }, lease, onLost)
  if (!ended.aborted) await once(ended, 'abort')
  sharing.onLeaseStatus(otherOwnerStatus)
  // first: the others may wait for what it stops
  const stopped = runner.close()
  await Promise.all([renewing, served.close(), stopped])
  await store.leases.release(lease).catch((error: unknown) => {
    const message = `the lease of the projections ends by itself only: ${messageOf(error)}`
    onAlarm({ kind: 'outage', message })
  })
}

/**
 * Until `signal` is aborted or another has the lease. A store that does not answer is asked again: until then going on
 * is right.
 */
async function keepRenewing(
  { readStore, times, signal, onAlarm }: ShareState,
  lease: Lease,
  onLost: () => void,
): Promise<void> {
  const renew = tolerateOutages('the lease of the projections cannot be renewed', { onAlarm }, () =>
    readStore.leases.renew(lease, times.forMs),
  )
  for (;;) {
    await sleep(times.renewEveryMs, signal)
    if (signal.aborted) return
    if ((await renew()) === false) return onLost()
  }
}
