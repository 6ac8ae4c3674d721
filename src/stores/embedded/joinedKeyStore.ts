/** The embedded key store of another process of the service: all of it is asked there. */

import type { ProcessLine } from '../../domain/processLine.ts'
import type { KeyState } from '../../events/recording/sealing.ts'
import type { KeyStore } from '../keyStore.ts'
import { decodeKeys, encodeKeys, type KeysMessage } from './keysMessage.ts'

/** Opens it over the line; closing it leaves the line as it is. */
export function joinedKeyStore({ ask }: Pick<ProcessLine, 'ask'>): KeyStore {
  return {
    make: async (count) => decodeKeys((await ask('makeKeys', count)) as KeysMessage),
    add: async (keys) => {
      await ask('addKeys', encodeKeys(keys))
    },
    keys: async (ids) => {
      const states = (await ask('findKeys', ids)) as ReadonlyMap<string, KeyState>
      return new Map([...states].map(([id, state]) => [id, ownBytes(state)]))
    },
    destroy: async (ids, atMs) => {
      await ask('destroyKeys', [ids, atMs])
    },
    destroyedSince: async (atMs) => (await ask('destroyedSince', atMs)) as readonly string[],
    discard: async (ids) => {
      await ask('discardKeys', ids)
    },
    close: async () => undefined,
  }
}

/** What comes over a line is a view of everything that came with it. */
function ownBytes(state: KeyState): KeyState {
  return state instanceof Uint8Array ? Uint8Array.from(state) : state
}
