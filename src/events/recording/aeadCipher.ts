/** Encrypts and decrypts with ChaCha20-Poly1305 (AEAD), using sodium-native or else Node. */

import { createCipheriv, createDecipheriv } from 'node:crypto'
import { createRequire } from 'node:module'

/** Boxes up to so many bytes need no memory of their own. */
const usualBytes = 16 * 1_024
const additionalBytes = 256
/** A unit of UTF-16 takes at most so many bytes of UTF-8. */
const bytesPerUnit = 3

const cipher = 'chacha20-poly1305'
const nonceBytes = 12
const tagBytes = 16
const lengths = { authTagLength: tagBytes }

export const nodeCipher: AeadCipher = {
  seal: (text, under) => nodeCipher.sealBytes(Buffer.from(text), under).toString('base64url'),
  sealBytes: (bytes, { secret, additionalData, nonce }) => {
    const sealing = createCipheriv(cipher, secret, nonce, lengths)
    sealing.setAAD(Buffer.from(additionalData), { plaintextLength: bytes.length })
    const encrypted = sealing.update(bytes)
    sealing.final()
    return Buffer.concat([nonce, encrypted, sealing.getAuthTag()])
  },
  open: (box, under) => nodeCipher.openBytes(Buffer.from(box, 'base64url'), under)?.toString(),
  openBytes: (bytes, { secret, additionalData }) => {
    if (bytes.length < nonceBytes + tagBytes) return undefined
    const encrypted = bytes.subarray(nonceBytes, -tagBytes)
    const opening = createDecipheriv(cipher, secret, bytes.subarray(0, nonceBytes), lengths)
    opening.setAAD(Buffer.from(additionalData), { plaintextLength: encrypted.length })
    opening.setAuthTag(bytes.subarray(-tagBytes))
    const clear = opening.update(encrypted)
    try {
      opening.final()
    } catch {
      // Node says no more than that it does not fit
      return undefined
    }
    return clear
  },
}

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

/**
 * ChaCha20-Poly1305 (RFC 8439): a key of 32 bytes, a nonce of 12 and a tag of 16. A box is nonce, encrypted text and
 * tag, in base64url.
 */
export interface AeadCipher {
  /** The text in a box. */
  readonly seal: (text: string, under: SealInput) => string
  /** The same, of bytes; the box is not encoded. */
  readonly sealBytes: (bytes: Uint8Array, under: SealInput) => Buffer
  /** The text of a box; undefined when sealed for another secret, event or field, or altered. */
  readonly open: (box: string, under: CipherInput) => string | undefined
  /** The same, of bytes. */
  readonly openBytes: (bytes: Uint8Array, under: CipherInput) => Buffer | undefined
}

const require = createRequire(import.meta.url)

/**
 * The library; undefined on systems that the package has none for: there Node makes the same boxes, in three times the
 * time.
 */
function sodium(): Sodium | undefined {
  try {
    return require('sodium-native') as Sodium
  } catch {
    return undefined
  }
}

const library = sodium()

/** The same boxes on every system. */
export const aeadCipher: AeadCipher = library ? sodiumCipher(library) : nodeCipher

/** What is used of `sodium-native`, which brings no types. */
export interface Sodium {
  /** Writes encrypted text and tag; the message may lie where they go. Throws on lengths that do not fit. */
  readonly crypto_aead_chacha20poly1305_ietf_encrypt: (
    ...given: [encrypted: Uint8Array, message: Uint8Array, ...Common]
  ) => number
  /** Writes the message, which may lie where the encrypted text does. Throws when it does not fit its tag. */
  readonly crypto_aead_chacha20poly1305_ietf_decrypt: (
    ...given: [message: Uint8Array, none: null, encrypted: Uint8Array, ...CommonOpening]
  ) => void
}

type Common = [additional: Uint8Array, none: null, nonce: Uint8Array, key: Uint8Array]
type CommonOpening = [additional: Uint8Array, nonce: Uint8Array, key: Uint8Array]

/** The boxes by this library. What was in clear is overwritten before a call ends. */
export function sodiumCipher({
  crypto_aead_chacha20poly1305_ietf_encrypt: encrypt,
  crypto_aead_chacha20poly1305_ietf_decrypt: decrypt,
}: Sodium): AeadCipher {
  const usual = Buffer.alloc(usualBytes)
  const additionalBuffer = Buffer.alloc(additionalBytes)
  const bufferFor = (bytes: number): Buffer => (bytes > usualBytes ? Buffer.alloc(bytes) : usual)
  const bytesOf = (additionalData: string): Buffer =>
    additionalData.length * bytesPerUnit > additionalBytes
      ? Buffer.from(additionalData)
      : additionalBuffer.subarray(0, additionalBuffer.write(additionalData))

  return {
    seal: (text, { secret, additionalData, nonce }) => {
      const bytes = bufferFor(nonceBytes + text.length * bytesPerUnit + tagBytes)
      bytes.set(nonce)
      const end = nonceBytes + bytes.write(text, nonceBytes)
      const clear = bytes.subarray(nonceBytes, end)
      const encrypted = bytes.subarray(nonceBytes, end + tagBytes)
      try {
        // in the same buffer, so that no clear text remains
        encrypt(encrypted, clear, bytesOf(additionalData), null, nonce, secret)
      } catch (error) {
        clear.fill(0)
        throw error
      }
      return bytes.toString('base64url', 0, end + tagBytes)
    },
    sealBytes: (clear, { secret, additionalData, nonce }) => {
      const box = Buffer.alloc(nonceBytes + clear.length + tagBytes)
      box.set(nonce)
      encrypt(box.subarray(nonceBytes), clear, bytesOf(additionalData), null, nonce, secret)
      return box
    },
    open: (box, { secret, additionalData }) => {
      const bytes = bufferFor(box.length)
      const end = bytes.write(box, 'base64url')
      if (end < nonceBytes + tagBytes) return undefined
      const nonce = bytes.subarray(0, nonceBytes)
      const clear = bytes.subarray(nonceBytes, end - tagBytes)
      try {
        const encrypted = bytes.subarray(nonceBytes, end)
        decrypt(clear, null, encrypted, bytesOf(additionalData), nonce, secret)
        return clear.toString()
      } catch {
        // the library says no more than that it does not fit
        return undefined
      } finally {
        clear.fill(0)
      }
    },
    openBytes: (bytes, { secret, additionalData }) => {
      if (bytes.length < nonceBytes + tagBytes) return undefined
      const clear = Buffer.alloc(bytes.length - nonceBytes - tagBytes)
      const nonce = bytes.subarray(0, nonceBytes)
      try {
        decrypt(clear, null, bytes.subarray(nonceBytes), bytesOf(additionalData), nonce, secret)
        return clear
      } catch {
        return undefined
      }
    },
  }
}
