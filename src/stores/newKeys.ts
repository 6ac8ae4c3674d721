/** Sealing keys out of chance. */

import type { Chance } from '../domain/clock.ts'
import type { SealingKey } from './keyStore.ts'

const idBytes = 16
const secretBytes = 32

/** So many keys that there were never before; each has bytes of its own. */
export function newKeys(count: number, chance: Chance): readonly SealingKey[] {
  const bytes = chance.bytes(count * (idBytes + secretBytes))
  return Array.from({ length: count }, (_, index) => {
    const start = index * (idBytes + secretBytes)
    const id = Buffer.from(bytes.subarray(start, start + idBytes)).toString('base64url')
    // `slice` of a Buffer would be a view of all of them
    const secret = new Uint8Array(bytes.subarray(start + idBytes, start + idBytes + secretBytes))
    return { id, secret }
  })
}
