/** Generates and wraps sealing keys, derives keys from the master key, and computes its proof. */

import { hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Clock, Random } from '../../domain/clock.ts'
import { encodeBase32 } from '../../domain/ids.ts'
import { uuidV7Bytes } from '../../domain/uuid.ts'
import { aeadCipher } from '../../events/recording/aeadCipher.ts'
import type { SealingKey } from '../keyStore.ts'

export type KeyWrapping = ReturnType<typeof createKeyWrapping>

const nonceBytes = 12
const tagBytes = 16
const secretBytes = 32
const wrappingUse = 'vigil key wrapping'

/** 32 bytes derived from the master key that do not reveal it; stored to detect a wrong master key. */
export function computeMasterKeyProof(masterKey: Uint8Array): Uint8Array {
  return deriveKey(masterKey, 'vigil key store proof')
}

/** Whether the proof was made with this master key. */
export function isProofOf(masterKey: Uint8Array, stored: Uint8Array): boolean {
  const proof = computeMasterKeyProof(masterKey)
  return stored.length === proof.length && timingSafeEqual(stored, proof)
}

/** The wrapping under a master key of 32 bytes. */
export function createKeyWrapping(masterKey: Uint8Array, random: Random) {
  const wrappingKey = deriveKey(masterKey, wrappingUse)
  return {
    /** The secret encrypted, 60 bytes: nonce, ciphertext, tag. Opens under the key's own id only. */
    wrap: ({ id, secret }: SealingKey): Uint8Array => {
      if (secret.length !== secretBytes) throw new Error(`a secret has ${secretBytes} bytes`)
      const nonce = random.bytes(nonceBytes)
      return aeadCipher.sealBytes(secret, { secret: wrappingKey, additionalData: id, nonce })
    },
    unwrap: createKeyUnwrapper(masterKey),
  }
}

/** Opens secrets wrapped under a master key of 32 bytes: undefined when the bytes are not those of this id. */
export function createKeyUnwrapper(masterKey: Uint8Array) {
  const wrappingKey = deriveKey(masterKey, wrappingUse)
  return (id: string, wrapped: Uint8Array): Uint8Array | undefined => {
    if (wrapped.length !== nonceBytes + secretBytes + tagBytes) return undefined
    const secret = aeadCipher.openBytes(wrapped, { secret: wrappingKey, additionalData: id })
    return secret && new Uint8Array(secret)
  }
}

const masterKeyBytes = 32

/**
 * The key of 32 bytes for one use (HKDF-SHA256, RFC 5869), so that no key reveals another. Throws when the master key
 * has not 32 bytes.
 */
export function deriveKey(masterKey: Uint8Array, use: string): Uint8Array {
  if (masterKey.length !== masterKeyBytes) {
    throw new Error(`the master key must have ${masterKeyBytes} bytes, not ${masterKey.length}`)
  }
  return new Uint8Array(hkdfSync('sha256', masterKey, new Uint8Array(0), use, 32))
}

/** Generates keys. Their ids rise with time: each is a UUID of version 7 in base32. */
export function newKeys(
  count: number,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): readonly SealingKey[] {
  // one draw for all: each takes the time of a row
  const secrets = random.bytes(count * secretBytes)
  return Array.from({ length: count }, (_, at) => ({
    id: encodeBase32(uuidV7Bytes(clock, random)),
    // a copy, so that a cached secret keeps no memory of others
    secret: new Uint8Array(secrets.subarray(at * secretBytes, (at + 1) * secretBytes)),
  }))
}
