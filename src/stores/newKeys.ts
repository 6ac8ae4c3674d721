/** Sealing keys out of chance. */

import type { Chance } from '../domain/clock.ts'
import type { SealingKey } from './keyStore.ts'

const idBytes = 16
const secretBytes = 32
/** Leaves the first 32 of the 64 characters of base64url. */
const firstByteMask = 0x7f

/**
 * So many keys that there were never before; each has bytes of its own. Their ids have 127 bits of chance, and begin with a letter from
 * `A` to `f`: with a `-` in front, the id of a signing key would be an option to whatever command line it is given to.
 */
export function newKeys(count: number, chance: Chance): readonly SealingKey[] {
  const bytes = chance.bytes(count * (idBytes + secretBytes))
  return Array.from({ length: count }, (_, index) => {
    const start = index * (idBytes + secretBytes)
    const id = Buffer.from(bytes.subarray(start, start + idBytes))
    id.writeUInt8(id.readUInt8(0) & firstByteMask)
    // `slice` of a Buffer would be a view of all of them
    const secret = new Uint8Array(bytes.subarray(start + idBytes, start + idBytes + secretBytes))
    return { id: id.toString('base64url'), secret }
  })
}
