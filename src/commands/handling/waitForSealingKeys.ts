/** Waits for sealing keys, briefly in evaluations; bulk work leaves a reserve for them. */

import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../domain/failure.ts'
import type { PooledKeyring } from '../../stores/keys/keyring.ts'

const pauseMs = 10
const spareWaitMs = 5_000

/** Settles at once while there are more keys than a reserve, else as soon as there are. Throws `unavailable` when none are made in time. */
export async function waitForSpareKeys({
  hasSpare,
}: Pick<PooledKeyring, 'hasSpare'>): Promise<void> {
  for (let waitedMs = 0; !hasSpare(); waitedMs += pauseMs) {
    if (waitedMs >= spareWaitMs) {
      throw new Failure('unavailable', 'Sealing keys are short; try again.', {
        retryAfterSeconds: 1,
      })
    }
    await sleep(pauseMs)
  }
}

/** One for the phone number, one for the address. */
const keysPerEvaluation = 2
const evaluationWaitMs = 1_000

/**
 * Undefined while there are keys for an evaluation or the store makes none; else settles as soon as there are, within a second.
 * A burst of calls about new persons takes keys faster than they are made.
 */
export function waitForSealingKeys(
  keyring: Pick<PooledKeyring, 'keysReady' | 'storesKeys'>,
): Promise<void> | undefined {
  return isShort(keyring) ? waitForKeys(keyring) : undefined
}

function isShort({
  keysReady,
  storesKeys,
}: Pick<PooledKeyring, 'keysReady' | 'storesKeys'>): boolean {
  return keysReady() < keysPerEvaluation && storesKeys()
}

async function waitForKeys(keyring: Parameters<typeof isShort>[0]): Promise<void> {
  for (let waitedMs = 0; isShort(keyring) && waitedMs < evaluationWaitMs; waitedMs += pauseMs) {
    await sleep(pauseMs)
  }
}
