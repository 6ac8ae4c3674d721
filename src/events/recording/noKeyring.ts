/** Provides a key ring for events without personal data; every function throws. */

import type { Keyring } from './sealPersonalData.ts'

/** Every function of it throws an `Error`. */
export const noKeyring: Keyring = {
  subject: refuse,
  digest: refuse,
  assign: refuse,
  keys: refuse,
  nonce: refuse,
}

function refuse(): never {
  throw new Error('this event has no personal data to seal')
}
