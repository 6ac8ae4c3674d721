/** Declares the stream type of accounts. */

import {
  type AccountEvent,
  type AccountState,
  evolveAccount,
  noAccount,
} from '../../events/accounts/account.ts'
import type { StreamType } from '../folding/streamType.ts'

/** About how many bytes of memory each takes: a token with a few scopes, an origin beside its characters. */
const tokenBytes = 360
const sdkKeyBytes = 100
const originBytes = 32
const labelClassBytes = 400

export const accountStreamType: StreamType<AccountState, AccountEvent> = {
  initial: () => noAccount,
  evolve: evolveAccount,
  estimateBytes: ({ tokens, sdkKeys, labelClasses = [] }) => {
    let bytes = tokens.size * tokenBytes + sdkKeys.size * sdkKeyBytes
    bytes += labelClasses.length * labelClassBytes
    for (const { origins = [] } of sdkKeys.values()) {
      for (const origin of origins) bytes += originBytes + origin.length
    }
    return bytes
  },
}
