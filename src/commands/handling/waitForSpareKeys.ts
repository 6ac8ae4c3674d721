/** Delays work that takes many sealing keys, so that evaluations do not run out of them. */

import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../domain/failure.ts'
import type { OpenKeyring } from '../../stores/keys/keyring.ts'

const pauseMs = 10
const waitMs = 5_000

/** Settles at once while there are more keys than a reserve, else as soon as there are. Throws `unavailable` when none are made in time. */
export async function waitForSpareKeys({ hasSpare }: Pick<OpenKeyring, 'hasSpare'>): Promise<void> {
  for (let waitedMs = 0; !hasSpare(); waitedMs += pauseMs) {
    if (waitedMs >= waitMs) {
      throw new Failure('unavailable', 'Sealing keys are short; try again.', {
        retryAfterSeconds: 1,
      })
    }
    await sleep(pauseMs)
  }
}
