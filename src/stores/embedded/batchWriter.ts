/** What the queue writes batches with: the log writer, in a thread of its own or in the caller's. */

import type { Append } from '../eventStore.ts'
import { type BatchResult, type LogWriterOptions, openLogWriter } from './logWriter.ts'

/** Writes batches in the order they were given, also those given while others are being written. */
export interface BatchWriter {
  /** Settles when the batch is on disk or refused; never rejects. */
  readonly write: (batch: readonly Append[]) => Promise<BatchResult>
  /** Tells whether a batch could be written, and writes none; never rejects. */
  readonly probe: () => Promise<BatchResult>
  /** Takes a result that has come, if there is one, without waiting for a turn of the event loop. */
  readonly hear: () => void
  /** Settles when the log is closed and nothing runs any more. */
  readonly close: () => Promise<void>
}

/** Writes in the calling thread, which every commit holds up: for tests and tools. */
export function callerWriter(options: LogWriterOptions): BatchWriter {
  const writer = openLogWriter(options)
  return {
    write: (batch) => {
      const result = writer.commit(batch)
      writer.settle()
      return Promise.resolve(result)
    },
    probe: () => Promise.resolve(writer.probe()),
    hear: () => {},
    close: () => {
      writer.close()
      return Promise.resolve()
    },
  }
}
