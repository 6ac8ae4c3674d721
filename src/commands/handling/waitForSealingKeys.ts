/** Waits for sealing keys, briefly in evaluations; bulk work leaves a reserve for them. */

import { setTimeout as sleep } from 'node:timers/promises'
import { unavailable } from '../../domain/failure.ts'
import type { PooledKeyring } from '../../stores/keys/keyring.ts'

const pauseMs = 10
const spareWaitMs = 5_000

/**
 * Settles at once while there are more keys than a reserve, else as soon as there are. Throws `unavailable` when none
 * are made in time.
 */
export async function waitForSpareKeys(keyring: Pick<PooledKeyring, 'hasSpare'>): Promise<void> {
  await waitWhile(() => !keyring.hasSpare(), spareWaitMs)
  if (!keyring.hasSpare()) throw unavailable('Sealing keys are short; try again.')
}

async function waitWhile(isShort: () => boolean, maxMs: number): Promise<void> {
  for (let waitedMs = 0; isShort() && waitedMs < maxMs; waitedMs += pauseMs) await sleep(pauseMs)
}

/** One for the phone number, one for the address. */
const keysPerEvaluation = 2
const evaluationWaitMs = 1_000

/**
 * Undefined while there are keys for an evaluation or the store makes none; else settles as soon as there are, within a
 * second. A burst of calls about new persons takes keys faster than they are made.
 */
export function waitForSealingKeys({
  keysReady,
  storesKeys,
}: Pick<PooledKeyring, 'keysReady' | 'storesKeys'>): Promise<void> | undefined {
  const isShort = (): boolean => keysReady() < keysPerEvaluation && storesKeys()
  return isShort() ? waitWhile(isShort, evaluationWaitMs) : undefined
}
