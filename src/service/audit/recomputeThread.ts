/** A thread that recomputes parts of a log, one after the other, as it is told to. */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { openLogReader } from '../../stores/embedded/logReader.ts'
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

export type RecomputeReply =
  | { readonly recomputed: Recomputed }
  /** Why the log cannot be read on. */
  | { readonly failed: string }

if (parentPort) serve(parentPort, workerData as RecomputeStart)

/** Ends with its process, or when it is ended. */
function serve(port: MessagePort, { log, keys, masterKey }: RecomputeStart): void {
  const endless = new AbortController().signal
  const recompute = openRecomputeRange({
    reader: openLogReader(log),
    keys: openKeysOfFile(keys, masterKey).keys,
  })
  const answer = async (range: LogRange): Promise<RecomputeReply> => {
    try {
      return { recomputed: await recompute(range, endless) }
    } catch (error) {
      return { failed: reasonOf(error) }
    }
  }
  port.on('message', (range: LogRange) => {
    void answer(range).then((reply) => port.postMessage(reply))
  })
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
