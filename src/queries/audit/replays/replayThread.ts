/** Replays ranges of a log in a worker thread (entry point). */

import { addReplayed, noneReplayed, type Replayed } from '../../../events/audit/replay.ts'
import { openKeyReader } from '../../../stores/embedded/keyStore.ts'
import { openLogReader, readLogRange } from '../../../stores/embedded/logReader.ts'
import { serveThread } from '../../../stores/embedded/threadCalls.ts'
import { openReplayRecords, type ReplayFilter } from './replayRecords.ts'

export interface LogRange {
  /** The position before the first event. */
  readonly after: number
  /** The position of the last event. */
  readonly end: number
}

/** Files, and what opens the keys in them. */
export interface ReplayStart {
  readonly log: string
  readonly keys: string
  readonly masterKey: Uint8Array
  readonly filter: ReplayFilter
}

let replayRange: ((range: LogRange, signal: AbortSignal) => Promise<Replayed>) | undefined

const calls = {
  open: ({ log, keys, masterKey, filter }: ReplayStart): void => {
    const reader = openLogReader(log)
    const replay = openReplayRecords({
      events: { readStream: async (...asked) => reader.readStream(...asked) },
      keys: openKeyReader(keys, masterKey).keys,
    })
    replayRange = async (range, signal) => {
      let replayed = noneReplayed
      for await (const batch of readLogRange(reader, { ...range, signal })) {
        replayed = addReplayed(replayed, await replay(batch, filter))
      }
      return replayed
    }
  },
  /** Throws what reading the log throws, by name where it is damaged. */
  replay: (range: LogRange, signal: AbortSignal): Promise<Replayed> => {
    if (!replayRange) throw new Error('no log is open')
    return replayRange(range, signal)
  },
}

export type ReplayCalls = typeof calls

serveThread(() => ({ calls }))
