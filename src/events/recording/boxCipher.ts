/** What boxes are sealed and opened by. */

import { createRequire } from 'node:module'
import { nodeBoxes } from './nodeBoxes.ts'
import { type Sodium, sodiumBoxes } from './sodiumBoxes.ts'

/** Where a box belongs and what opens it. */
interface BoxUnder {
  /** 32 bytes. */
  readonly secret: Uint8Array
  /** The one place of the log in which it opens. */
  readonly place: string
}

/** ChaCha20-Poly1305 (RFC 8439): a key of 32 bytes, a nonce of 12 and a tag of 16. A box is nonce, hidden text and tag, in base64url. */
export interface BoxCipher {
  /** The text in a box. The nonce is never used again. */
  readonly seal: (text: string, under: BoxUnder & { readonly nonce: Uint8Array }) => string
  /** The text of a box; undefined when it was sealed under another secret or for another place, altered, or cut short. */
  readonly open: (box: string, under: BoxUnder) => string | undefined
}

const require = createRequire(import.meta.url)

/** The library; undefined on systems that the package has none for: there Node makes the same boxes, in three times the time. */
function sodium(): Sodium | undefined {
  try {
    return require('sodium-native') as Sodium
  } catch {
    return undefined
  }
}

const library = sodium()

/** The same boxes on every system. */
export const boxCipher: BoxCipher = library ? sodiumBoxes(library) : nodeBoxes
