/** Polls for keys destroyed by other instances, and removes them from the key ring. */

import type { Clock } from '../../domain/clock.ts'
import { type BackgroundLoop, sleep, startBackgroundLoop } from '../backgroundLoop.ts'
import type { SharedKeyStore } from '../keyStore.ts'
import type { PooledKeyring } from './keyring.ts'

/** An erasure takes effect on every instance within a second. */
const askEveryMs = 250
/** How far back it reads: the clocks of instances differ by less. */
const backMs = 10 * 60 * 1_000

export interface FollowKeyDestructionsOptions {
  readonly store: Pick<SharedKeyStore, 'destroyedSince'>
  readonly keyring: Pick<PooledKeyring, 'forget'>
  readonly clock: Clock
  /** Called once for each outage of the store. */
  readonly onFault: (error: unknown) => void
}

/** Reads what was destroyed and makes the keyring forget it, until it is closed. */
export function followKeyDestructions(
  options: FollowKeyDestructionsOptions,
): BackgroundLoop & { readonly isReachable: () => boolean } {
  const outage = { isAway: false }
  const { close } = startBackgroundLoop((signal) => keepAsking(options, outage, signal))
  return { isReachable: () => !outage.isAway, close }
}

async function keepAsking(
  { store, keyring, clock, onFault }: FollowKeyDestructionsOptions,
  outage: { isAway: boolean },
  signal: AbortSignal,
): Promise<void> {
  let forgotten: ReadonlySet<string> = new Set()
  while (!signal.aborted) {
    try {
      const ids = await store.destroyedSince(clock.nowMs() - backMs)
      const news = ids.filter((id) => !forgotten.has(id))
      if (news.length > 0) keyring.forget(news)
      forgotten = new Set(ids)
      outage.isAway = false
    } catch (error) {
      if (!outage.isAway) onFault(error)
      outage.isAway = true
    }
    await sleep(askEveryMs, signal)
  }
}
