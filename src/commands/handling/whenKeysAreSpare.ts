/** Sealing keys are made a few at a time: who wants many leaves some to those who evaluate, and who evaluates waits a moment. */

import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../domain/failure.ts'
import type { OpenKeyring } from '../../stores/keyring.ts'

const pauseMs = 10
const waitMs = 5_000

/** Settles at once while there are more keys than a reserve, else as soon as there are. Throws `unavailable` when none are made in time. */
export async function whenKeysAreSpare({ hasSpare }: Pick<OpenKeyring, 'hasSpare'>): Promise<void> {
  for (let waitedMs = 0; !hasSpare(); waitedMs += pauseMs) {
    if (waitedMs >= waitMs) {
      throw new Failure('unavailable', 'Sealing keys are short; try again.', {
        retryAfterSeconds: 1,
      })
    }
    await sleep(pauseMs)
  }
}

/** One for the phone number, one for the address. */
const evaluationTakes = 2
const momentMs = 1_000

/**
 * Nothing to wait for while there are keys for an evaluation or the store makes none; else settles as soon as there are, within a second.
 * Callers who come all at once, each with somebody new, take keys faster than they are made.
 */
export function whenAKeyIsReady(
  keyring: Pick<OpenKeyring, 'keysReady' | 'storesKeys'>,
): Promise<void> | undefined {
  return isShort(keyring) ? waited(keyring) : undefined
}

function isShort({
  keysReady,
  storesKeys,
}: Pick<OpenKeyring, 'keysReady' | 'storesKeys'>): boolean {
  return keysReady() < evaluationTakes && storesKeys()
}

async function waited(keyring: Parameters<typeof isShort>[0]): Promise<void> {
  for (let waitedMs = 0; isShort(keyring) && waitedMs < momentMs; waitedMs += pauseMs)
    await sleep(pauseMs)
}
