/** Encrypts and decrypts with ChaCha20-Poly1305 (AEAD, RFC 8439). */

import { createCipheriv, createDecipheriv } from 'node:crypto'

const cipher = 'chacha20-poly1305'
const nonceBytes = 12
const tagBytes = 16
const lengths = { authTagLength: tagBytes }

/** The key, and the additional data that a box is bound to. */
interface CipherInput {
  /** 32 bytes. */
  readonly secret: Uint8Array
  /** The event and field for which alone it opens. */
  readonly additionalData: string
}

interface SealInput extends CipherInput {
  /** 12 bytes, never used again. */
  readonly nonce: Uint8Array
}

/** The bytes in a box: nonce, encrypted bytes and tag. */
export function encryptBytes(
  bytes: Uint8Array,
  { secret, additionalData, nonce }: SealInput,
): Buffer {
  const encrypting = createCipheriv(cipher, secret, nonce, lengths)
  encrypting.setAAD(Buffer.from(additionalData), { plaintextLength: bytes.length })
  const encrypted = encrypting.update(bytes)
  encrypting.final()
  return Buffer.concat([nonce, encrypted, encrypting.getAuthTag()])
}

/**
 * The bytes of a box; undefined when it was made under another secret or for another event or field, altered, or cut
 * short.
 */
export function decryptBytes(
  box: Uint8Array,
  { secret, additionalData }: CipherInput,
): Buffer | undefined {
  if (box.length < nonceBytes + tagBytes) return undefined
  const encrypted = box.subarray(nonceBytes, -tagBytes)
  const decrypting = createDecipheriv(cipher, secret, box.subarray(0, nonceBytes), lengths)
  decrypting.setAAD(Buffer.from(additionalData), { plaintextLength: encrypted.length })
  decrypting.setAuthTag(box.subarray(-tagBytes))
  const clear = decrypting.update(encrypted)
  try {
    decrypting.final()
  } catch {
    // Node says no more than that it does not fit
    return undefined
  }
  return clear
}
