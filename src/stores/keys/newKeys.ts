/** Generates sealing keys from random bytes. */

import type { Chance, Clock } from '../../domain/clock.ts'
import { base32 } from '../../domain/ids.ts'
import { uuidV7Bytes } from '../../domain/uuid.ts'
import type { SealingKey } from '../keyStore.ts'

const secretBytes = 32

/** So many keys that there were never before; each has bytes of its own. Their ids rise with the time: each is a UUID of version 7 in base32. */
export function newKeys(
  count: number,
  { clock, chance }: { readonly clock: Clock; readonly chance: Chance },
): readonly SealingKey[] {
  return Array.from({ length: count }, () => ({
    id: base32(uuidV7Bytes(clock, chance)),
    // whoever keeps one secret keeps no memory of others
    secret: Uint8Array.from(chance.bytes(secretBytes)),
  }))
}
