/** Runs the projections for as long as this instance has their lease. */

import { type Lease, LeaseLost } from '../../../stores/lease.ts'
import type { ReadStore } from '../../../stores/readStore.ts'
import { wordsOf } from '../attempt.ts'
import { type RunnerOptions, startRunner } from '../instances/runner.ts'
import { serveRetryRequests } from '../parking/retryRequests.ts'
import type { Alarm, ProjectionState, Projections } from '../projections.ts'
import { pause } from '../retryOutages.ts'
import type { LeaseTimes } from './projectionLease.ts'
import { publishStates } from './publishedStates.ts'

export interface HolderOptions extends Omit<RunnerOptions, 'readStore'> {
  readonly readStore: ReadStore
  readonly onAlarm: (alarm: Alarm) => void
  readonly onProgress: (states: readonly ProjectionState[]) => void
  readonly times: LeaseTimes
  /** Times what is published and what is asked for; leases, and what has ended, go by the clock of the read store. */
  readonly nowMs: () => number
}

export interface Running extends Projections {
  /** Settles when another has been given the lease: nothing can be written here any more. */
  readonly lost: Promise<void>
}

/**
 * Starts the projections and renews the lease until it is lost or they are closed; closing lets go of it. What goes wrong because the
 * lease is lost is no alarm: another goes on.
 */
export function runUnder(lease: Lease, options: HolderOptions): Running {
  const [stop, lost] = [new AbortController(), new AbortController()]
  const ended = AbortSignal.any([stop.signal, lost.signal])
  const { nowMs, times, readStore: store } = options
  const unlessLost =
    <Told>(tell: (told: Told) => void) =>
    (told: Told): void => {
      if (!lost.signal.aborted) tell(told)
    }
  const readStore = noticing(store.under(lease), () => lost.abort())
  const onAlarm = unlessLost(options.onAlarm)
  const onProgress = unlessLost(options.onProgress)
  const runner = startRunner({ ...options, readStore, onAlarm, onProgress })
  const published = publishStates({ readStore, states: runner.progress, nowMs, onAlarm })
  const onFault = (error: unknown): void => {
    const message = `parked events cannot be applied again: ${wordsOf(error)}`
    onAlarm({ kind: 'stopped', message })
  }
  const requests = serveRetryRequests({ readStore, retry: runner.retryParked, nowMs, onFault })
  const { leases } = store
  const renewed = keepRenewing(lease, { leases, times, onAlarm, signal: ended }).then(
    (isLost) => isLost && lost.abort(),
  )
  return {
    ...runner,
    lost: until(lost.signal),
    close: async () => {
      stop.abort()
      // told first: others may wait for what it stops
      const stopped = runner.close()
      await renewed
      await requests.close()
      await published.close()
      await stopped
      await leases.release(lease).catch((error: unknown) => {
        const message = `the lease of the projections ends by itself only: ${wordsOf(error)}`
        onAlarm({ kind: 'outage', message })
      })
    },
  }
}

interface Renewing extends Pick<HolderOptions, 'times' | 'onAlarm'> {
  readonly leases: ReadStore['leases']
  readonly signal: AbortSignal
}

/**
 * True when another has been given the lease, false when `signal` was aborted before. A store that does not answer is asked again: until
 * another has the lease, going on is right.
 */
async function keepRenewing(
  lease: Lease,
  { leases, times, onAlarm, signal }: Renewing,
): Promise<boolean> {
  let isAway = false
  for (;;) {
    await pause(times.renewEveryMs, signal)
    if (signal.aborted) return false
    try {
      if (!(await leases.renew(lease, times.forMs))) return true
      isAway = false
    } catch (error) {
      const message = `the lease of the projections cannot be renewed: ${wordsOf(error)}`
      if (!isAway) onAlarm({ kind: 'outage', message })
      isAway = true
    }
  }
}

function until(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

type Holders = ReturnType<ReadStore['under']>

/** The store, and `onLost` told before anybody else when it refuses because the lease is lost. */
function noticing(store: Holders, onLost: () => void): Holders {
  const noticed =
    <Args extends readonly unknown[], Result>(write: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      try {
        return await write(...args)
      } catch (error) {
        if (error instanceof LeaseLost) onLost()
        throw error
      }
    }
  return {
    ...store,
    commit: noticed(store.commit),
    commitTogether: noticed(store.commitTogether),
    prepare: noticed(store.prepare),
    completeIndexes: noticed(store.completeIndexes),
    drop: noticed(store.drop),
    sweep: noticed(store.sweep),
  }
}
