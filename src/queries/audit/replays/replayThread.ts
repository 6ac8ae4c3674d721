/** Replays ranges of a log in a worker thread (entry point). */

import { openScheduler } from '../../../domain/load/scheduler.ts'
import {
  addReplayTotals,
  emptyReplayTotals,
  type ReplayTotals,
} from '../../../events/audit/replay.ts'
import { openRecordedPlanCache } from '../../../state/evaluation/flowPlanCache.ts'
import { openKeyReader } from '../../../stores/embedded/embeddedKeyStore.ts'
import { openLogReader, readLogRange } from '../../../stores/embedded/logReader.ts'
import { type GetSignal, serveThread } from '../../../stores/embedded/threadCalls.ts'
import { openRecordReplayer, type ReplayFilter } from './replayRecords.ts'

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

let replayRange: ((range: LogRange, signal: AbortSignal) => Promise<ReplayTotals>) | undefined

const calls = {
  open: ({ log, keys, masterKey, filter }: ReplayStart): void => {
    const reader = openLogReader(log)
    const scheduler = openScheduler()
    const replay = openRecordReplayer({
      scheduler,
      compiledPlans: openRecordedPlanCache({ scheduler }),
      events: { readStream: async (...asked) => reader.readStream(...asked) },
      keys: openKeyReader(keys, masterKey).keys,
    })
    replayRange = async (range, signal) => {
      let replayed = emptyReplayTotals
      for await (const batch of readLogRange(reader, { ...range, signal })) {
        replayed = addReplayTotals(replayed, await replay(batch, filter))
      }
      return replayed
    }
  },
  /** Throws what reading the log throws, by name where it is damaged. */
  replay: (range: LogRange, getSignal: GetSignal): Promise<ReplayTotals> => {
    if (!replayRange) throw new Error('no log is open')
    return replayRange(range, getSignal())
  },
}

export type ReplayCalls = typeof calls

serveThread(() => ({ calls }))
