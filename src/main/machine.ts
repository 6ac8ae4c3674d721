/** Time and chance, as the machine has them. */

import { randomBytes } from 'node:crypto'

export const machine = {
  clock: { nowMs: () => Date.now() },
  chance: { bytes: (count: number) => randomBytes(count) },
}
