/** Boxes by the cipher that Node has, for systems without libsodium. */

import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { BoxCipher } from './boxCipher.ts'

const cipher = 'chacha20-poly1305'
const nonceBytes = 12
const tagBytes = 16
const lengths = { authTagLength: tagBytes }

export const nodeBoxes: BoxCipher = {
  seal: (text, { secret, place, nonce }) => {
    const sealing = createCipheriv(cipher, secret, nonce, lengths)
    const bytes = Buffer.from(text)
    sealing.setAAD(Buffer.from(place), { plaintextLength: bytes.length })
    const hidden = sealing.update(bytes)
    sealing.final()
    return Buffer.concat([nonce, hidden, sealing.getAuthTag()]).toString('base64url')
  },
  open: (box, { secret, place }) => {
    const bytes = Buffer.from(box, 'base64url')
    if (bytes.length < nonceBytes + tagBytes) return undefined
    const hidden = bytes.subarray(nonceBytes, -tagBytes)
    const opening = createDecipheriv(cipher, secret, bytes.subarray(0, nonceBytes), lengths)
    opening.setAAD(Buffer.from(place), { plaintextLength: hidden.length })
    opening.setAuthTag(bytes.subarray(-tagBytes))
    const clear = opening.update(hidden)
    try {
      opening.final()
    } catch {
      // Node says no more than that it does not fit
      return undefined
    }
    return clear.toString()
  },
}
