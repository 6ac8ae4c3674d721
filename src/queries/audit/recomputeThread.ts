/** Serves the thread that recomputes ranges of a log. */

import { getHeapStatistics } from 'node:v8'
import { LRUCache } from 'lru-cache'
import type { Keyring, KeyState } from '../../events/recording/sealing.ts'
import { openKeptKeys } from '../../stores/embedded/keyStore.ts'
import { openLogReader } from '../../stores/embedded/logReader.ts'
import { serveThread } from '../../stores/embedded/threads.ts'
import type { KeptKey } from '../../stores/keys/keptKeys.ts'
import { cachedKeysMax } from '../../stores/keys/keyring.ts'
import { keyWrapping } from '../../stores/keys/keyWrapping.ts'
import type { LogRange } from './logRanges.ts'
import type { Recomputed } from './recomputed.ts'
import { openRecomputeRange } from './recomputeRange.ts'

/** Files, and what opens the keys in them. */
export interface RecomputeStart {
  readonly log: string
  readonly keys: string
  readonly masterKey: Uint8Array
}

let recompute: ReturnType<typeof openRecomputeRange> | undefined

const calls = {
  open: ({ log, keys, masterKey }: RecomputeStart): void => {
    recompute = openRecomputeRange({
      reader: openLogReader(log),
      keys: openKeysOfFile(keys, masterKey).keys,
    })
  },
  recompute: (range: LogRange, signal: AbortSignal): Promise<Recomputed> => {
    if (!recompute) throw new Error('no log is open')
    return recompute(range, signal)
  },
}

export type RecomputeCalls = typeof calls

serveThread(() => ({ calls }))

interface KeysOfFile extends Pick<Keyring, 'keys'> {
  readonly close: () => void
}

/** Opens the file under the master key, of 32 bytes, that its keys were made under. Throws an `Error` that names it, as `keys` does. */
function openKeysOfFile(file: string, masterKey: Uint8Array): KeysOfFile {
  const kept = openKeptKeys(file)
  const { unwrap } = keyWrapping(masterKey, { bytes: noChance })
  const known = new LRUCache<string, KeyState>({
    maxSize: cachedKeysMax(getHeapStatistics().heap_size_limit),
    sizeCalculation: () => 1,
  })
  const stateOf = (key: KeptKey): KeyState =>
    'wrapped' in key ? (unwrap(key.id, key.wrapped) ?? 'damaged') : 'destroyed'

  return {
    keys: async (ids) => {
      const states = new Map<string, KeyState>()
      const missing: string[] = []
      for (const id of ids) {
        const state = known.get(id)
        if (state) states.set(id, state)
        else missing.push(id)
      }
      for (const [id, key] of await kept.lookUp(missing)) {
        const state = stateOf(key)
        states.set(id, state)
        known.set(id, state)
      }
      return states
    },
    close: kept.close,
  }
}

/** Only wrapping draws by chance. */
function noChance(): never {
  throw new Error('keys that are only read are not wrapped')
}
