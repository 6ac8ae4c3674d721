/** A thread that recomputes parts of a log, one after the other, as it is told to. */

import { openLogReader } from '../../stores/embedded/logReader.ts'
import { serveThread } from '../../stores/embedded/threads.ts'
import { openKeysOfFile } from './keysOfFile.ts'
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

serveThread(calls, () => undefined)
