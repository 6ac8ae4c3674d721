/** Time and chance, as the machine has them. */

import { randomBytes } from 'node:crypto'
import { pooledChance } from '../domain/pooledChance.ts'

export const machine = {
  clock: { nowMs: () => Date.now() },
  chance: pooledChance({ bytes: randomBytes }),
}
