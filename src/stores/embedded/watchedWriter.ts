/** A writer of the log that writes no more once the log was deleted or replaced under it. */

import type { BatchWriter } from './batchWriter.ts'
import type { BatchResult } from './logWriter.ts'
import { copyOpenFile, watchFile } from './watchFile.ts'

export interface WatchedWriterOptions {
  /** The log, which the writer has open. */
  readonly file: string
  /** Told once: why nothing is written any more. */
  readonly onGone: (result: BatchResult) => void
  /** Between two looks. */
  readonly everyMs?: number | undefined
}

/** The write-ahead log is watched as well: what is answered stands there first. */
export function watchedWriter(writer: BatchWriter, options: WatchedWriterOptions): BatchWriter {
  const { file, onGone, everyMs } = options
  let gone: BatchResult | undefined
  const end = ({ message }: Error): void => {
    if (gone) return
    gone = { kind: 'refused', reason: message, broken: true }
    onGone(gone)
  }
  const watches = [
    watchFile({ file, everyMs, onGone: end, wayOn: copyOpenFile }),
    watchFile({ file: `${file}-wal`, everyMs, onGone: end, wayOn: stopInOrder }),
  ]
  return {
    write: async (batch) => gone ?? writer.write(batch),
    probe: async () => {
      if (gone) return gone
      const result = await writer.probe()
      // one that was under way when the file went does not make it well again
      return gone ?? result
    },
    hear: writer.hear,
    close: async () => {
      for (const { close } of watches) close()
      await writer.close()
    },
  }
}

const stopInOrder =
  'stop the service with SIGTERM, which moves what is in it into log.db, and start it again'
