/** Provides the clock and randomness of the machine. */

import { randomBytes, randomUUID } from 'node:crypto'

/** Bytes of the first and the last group of a random UUID, which hold nothing but chance. */
const shortMax = 10

export const machine = {
  clock: { nowMs: () => Date.now() },
  chance: {
    // Node draws UUIDs many at a time: what an id needs costs a fifth of a draw of its own
    bytes: (count: number): Uint8Array => (count > shortMax ? randomBytes(count) : short(count)),
  },
}

function short(count: number): Uint8Array {
  const uuid = randomUUID()
  return Buffer.from(`${uuid.slice(0, 8)}${uuid.slice(24)}`, 'hex').subarray(0, count)
}
