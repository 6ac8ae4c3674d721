/** Declares the stream type of accounts. */

import {
  type AccountEvent,
  type AccountState,
  evolveAccount,
  noAccount,
} from '../../events/accounts/account.ts'
import type { StreamType } from '../folding/streamType.ts'

/** About how many bytes of memory a token with a few scopes takes, an SDK key, and one of its origins beside its characters. */
const tokenBytes = 360
const sdkKeyBytes = 100
const originBytes = 32

export const accountStreamType: StreamType<AccountState, AccountEvent> = {
  initial: () => noAccount,
  evolve: evolveAccount,
  estimateBytes: ({ tokens, sdkKeys }) => {
    let bytes = tokens.size * tokenBytes + sdkKeys.size * sdkKeyBytes
    for (const { origins = [] } of sdkKeys.values()) {
      for (const origin of origins) bytes += originBytes + origin.length
    }
    return bytes
  },
}
