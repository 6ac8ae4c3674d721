/** Derives keys for single uses from the master key (HKDF-SHA256, RFC 5869). */

import { hkdfSync } from 'node:crypto'

const masterKeyBytes = 32

/** The key of 32 bytes for one use (HKDF-SHA256, RFC 5869), so that no key reveals another. Throws when the master key has not 32 bytes. */
export function derivedKey(masterKey: Uint8Array, use: string): Uint8Array {
  if (masterKey.length !== masterKeyBytes) {
    throw new Error(`the master key must have ${masterKeyBytes} bytes, not ${masterKey.length}`)
  }
  return new Uint8Array(hkdfSync('sha256', masterKey, new Uint8Array(0), use, 32))
}
