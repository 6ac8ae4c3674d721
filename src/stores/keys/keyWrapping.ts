/** Wraps and unwraps sealing keys under a key derived from the master key. */

import { createCipheriv, createDecipheriv, type DecipherChaCha20Poly1305 } from 'node:crypto'
import type { Chance } from '../../domain/clock.ts'
import type { SealingKey } from '../keyStore.ts'
import { derivedKey } from './derivedKey.ts'

export interface KeyWrapping {
  /** 32 bytes that only the same master key gives; says nothing about it. Kept to tell a wrong master key from a right one. */
  readonly proof: Uint8Array
  /** The secret encrypted, 60 bytes: nonce, ciphertext, tag. Opens under the key's own id only. */
  readonly wrap: (key: SealingKey) => Uint8Array
  /** The secret again; undefined when the bytes are not those wrapped for this id. */
  readonly unwrap: (id: string, wrapped: Uint8Array) => Uint8Array | undefined
}

const cipher = 'chacha20-poly1305'
const nonceBytes = 12
const tagBytes = 16
const secretBytes = 32
const lengths = { authTagLength: tagBytes }
const ofSecret = { plaintextLength: secretBytes }

/** See `KeyWrapping.proof`. */
export function masterKeyProof(masterKey: Uint8Array): Uint8Array {
  return derivedKey(masterKey, 'vigil key store proof')
}

/** The wrapping under a master key of 32 bytes. */
export function keyWrapping(masterKey: Uint8Array, chance: Chance): KeyWrapping {
  const wrappingKey = derivedKey(masterKey, 'vigil key wrapping')

  return {
    proof: masterKeyProof(masterKey),
    wrap: ({ id, secret }) => {
      if (secret.length !== secretBytes) throw new Error(`a secret has ${secretBytes} bytes`)
      const nonce = chance.bytes(nonceBytes)
      const wrapping = createCipheriv(cipher, wrappingKey, nonce, lengths)
      wrapping.setAAD(Buffer.from(id), ofSecret)
      const text = Buffer.concat([wrapping.update(secret), wrapping.final()])
      return Buffer.concat([nonce, text, wrapping.getAuthTag()])
    },
    unwrap: (id, wrapped) => {
      if (wrapped.length !== nonceBytes + secretBytes + tagBytes) return undefined
      const nonce = wrapped.subarray(0, nonceBytes)
      const opening = createDecipheriv(cipher, wrappingKey, nonce, lengths)
      opening.setAAD(Buffer.from(id), ofSecret).setAuthTag(wrapped.subarray(-tagBytes))
      const secret = opening.update(wrapped.subarray(nonceBytes, -tagBytes))
      return isAuthentic(opening) ? new Uint8Array(secret) : undefined
    },
  }
}

/** The cipher has no other way of saying it than to throw. */
function isAuthentic(opening: DecipherChaCha20Poly1305): boolean {
  try {
    opening.final()
    return true
  } catch {
    return false
  }
}
