/** Boxes by the ciphers that Node has. */

import {
  type CipherGCMTypes,
  type CipherKey,
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
} from 'node:crypto'
import type { BoxCipher } from './boxCipher.ts'

const nonceBytes = 12
const tagBytes = 16
const lengths = { authTagLength: tagBytes }

/**
 * Secrets as ciphers take them best: as bytes they cost ten times the cipher itself on some versions of Node. Gone with the bytes they were
 * made of.
 */
const preparedKeys = new WeakMap<Uint8Array, KeyObject>()
/** Secrets that something was sealed under once: for one use alone, getting them ready takes longer than it spares. */
const usedOnce = new WeakSet<Uint8Array>()

/** The boxes of a cipher. */
export function nodeBoxes(cipher: 'aes-256-gcm' | 'chacha20-poly1305'): BoxCipher {
  // the types know the same calls of each cipher by itself alone
  const name = cipher as CipherGCMTypes
  return {
    seal: (text, { secret, place, nonce }) => {
      const sealing = createCipheriv(name, sealingKey(secret), nonce, lengths)
      sealing.setAAD(Buffer.from(place))
      const hidden = sealing.update(text, 'utf8')
      sealing.final()
      return Buffer.concat([nonce, hidden, sealing.getAuthTag()]).toString('base64url')
    },
    open: (box, { secret, place }) => {
      const bytes = Buffer.from(box, 'base64url')
      if (bytes.length < nonceBytes + tagBytes) return undefined
      const nonce = bytes.subarray(0, nonceBytes)
      const opening = createDecipheriv(name, openingKey(secret), nonce, lengths)
      opening.setAAD(Buffer.from(place))
      opening.setAuthTag(bytes.subarray(-tagBytes))
      const clear = opening.update(bytes.subarray(nonceBytes, -tagBytes))
      try {
        opening.final()
      } catch {
        // Node says no more than that it does not fit
        return undefined
      }
      return clear.toString()
    },
  }
}

function sealingKey(secret: Uint8Array): CipherKey {
  const known = preparedKeys.get(secret)
  if (known) return known
  if (usedOnce.has(secret)) return openingKey(secret)
  usedOnce.add(secret)
  return secret
}

function openingKey(secret: Uint8Array): KeyObject {
  const known = preparedKeys.get(secret)
  if (known) return known
  const key = createSecretKey(secret)
  preparedKeys.set(secret, key)
  return key
}
