/** Shares the projections between instances: runs them under the lease, else watches them. */

import { Failure } from '../../../domain/failure.ts'
import { type Lease, LeaseLost } from '../../../stores/lease.ts'
import { wordsOf } from '../attempt.ts'
import { statesAtRest } from '../instances/states.ts'
import type { Projections, SharedProjections } from '../projections.ts'
import { pause } from '../retryOutages.ts'
import {
  type Holding,
  heldByNobody,
  leaseTimes,
  notHeld,
  projectionLeaseName,
} from './projectionLease.ts'
import { type HolderOptions, runUnder } from './runUnder.ts'
import { sharedProgress } from './sharedProgress.ts'
import { type WatchOptions, watchProjections } from './watchProjections.ts'

export interface ShareOptions
  extends Omit<HolderOptions, 'onProgress' | 'times'>,
    Pick<WatchOptions, 'newId' | 'everyMs' | 'withinMs'>,
    Partial<Pick<HolderOptions, 'onProgress' | 'times'>> {
  /** This instance: given the same one, who begins anew need not wait for its own lease to end. */
  readonly owner: string
  /** Whether it asks for the lease; it does unless told to watch only. */
  readonly mayRun?: boolean
  /** Told whenever the lease comes here and whenever it goes, when nobody is heard to have it any more, and when somebody is again. */
  readonly onHolding?: (holding: Holding) => void
}

interface Sharing extends ShareOptions {
  readonly onProgress: HolderOptions['onProgress']
  readonly times: HolderOptions['times']
  readonly signal: AbortSignal
  readonly hold: (holding: Holding) => void
  /** Lets these answer from now on. */
  readonly use: <Used extends Projections>(projections: Used) => Used
}

/**
 * Runs or watches the projections until it is closed, and shows their states in both cases. It waits for nothing: until it is known which
 * instance runs them they show as catching up at the start of the log. Closing releases the lease, so that another takes over at once.
 */
export function shareProjections(options: ShareOptions): SharedProjections {
  const stop = new AbortController()
  let used: Projections | undefined
  const hurry = (): void => used?.hurry()
  const board = sharedProgress(statesAtRest(options.projections), hurry)
  let holding = notHeld
  const done = keepSharing({
    ...options,
    times: options.times ?? leaseTimes,
    signal: stop.signal,
    onProgress: (states) => {
      board.update(states)
      options.onProgress?.(states)
    },
    hold: (now) => {
      holding = now
      options.onHolding?.(holding)
    },
    use: (projections) => {
      used = projections
      return projections
    },
  })
  return {
    ...board,
    hurry,
    holding: () => holding,
    retryParked: (projection) => retryIn(used, projection),
    close: async () => {
      stop.abort()
      await done
      board.close()
    },
  }
}

async function retryIn(used: Projections | undefined, projection: string) {
  try {
    if (used) return await used.retryParked(projection)
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error
  }
  throw new Failure('unavailable', 'It is not settled yet which instance runs the projections.', {
    retryAfterSeconds: 1,
  })
}

async function keepSharing(sharing: Sharing): Promise<void> {
  while (!sharing.signal.aborted) {
    const lease = await watchUntilGiven(sharing)
    if (lease) await runUntilLost(sharing, lease)
  }
}

/** Undefined when it was closed before. */
async function watchUntilGiven(sharing: Sharing): Promise<Lease | undefined> {
  const { signal, times, hold, mayRun = true } = sharing
  const ask = mayRun ? asker(sharing) : async () => undefined
  const onHeard = (isHeard: boolean): void => hold(isHeard ? notHeld : heldByNobody)
  let watched: Projections | undefined
  while (!signal.aborted) {
    const lease = await ask()
    if (lease) {
      await watched?.close()
      return lease
    }
    watched ??= sharing.use(watchProjections({ ...sharing, onHeard }))
    await pause(times.askEveryMs, signal)
  }
  await watched?.close()
  return undefined
}

/** Asks for the lease; that it cannot is told once, until it can again. */
function asker({ readStore, owner, times, onAlarm }: Sharing): () => Promise<Lease | undefined> {
  let isAway = false
  return async () => {
    try {
      const request = { name: projectionLeaseName, owner, forMs: times.forMs }
      const lease = await readStore.leases.acquire(request)
      isAway = false
      return lease
    } catch (error) {
      const message = `it cannot be asked who runs the projections: ${wordsOf(error)}`
      if (!isAway) onAlarm({ kind: 'outage', message })
      isAway = true
      return undefined
    }
  }
}

async function runUntilLost(sharing: Sharing, lease: Lease): Promise<void> {
  const running = sharing.use(runUnder(lease, sharing))
  sharing.hold({ held: true, fence: lease.fence, heard: true })
  await Promise.race([running.lost, aborted(sharing.signal)])
  sharing.hold(notHeld)
  await running.close()
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
