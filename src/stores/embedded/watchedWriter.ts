/** A writer of the log that writes no more once the log was deleted or replaced under it, or its index was found wrong. */

import type { BatchWriter } from './batchWriter.ts'
import { openRefusal } from './databaseTrouble.ts'
import type { BatchResult } from './logWriter.ts'
import { markIndex } from './markedIndex.ts'
import { type DailyScrub, type Odd, scrubDaily } from './scrubDaily.ts'
import { copyOpenFile, watchFile } from './watchFile.ts'

export interface WatchedWriterOptions {
  /** The log, which the writer has open. */
  readonly file: string
  /** Told once: why nothing is written any more. */
  readonly onEnd: (result: BatchResult) => void
  /** Between two looks whether the log is still in its place. */
  readonly everyMs?: number | undefined
  /** How it is scrubbed; not at all unless given. */
  readonly scrub?: Omit<DailyScrub<'log'>, 'of' | 'file'> | undefined
}

/** The write-ahead log is watched as well: what is answered stands there first. */
export function watchedWriter(writer: BatchWriter, options: WatchedWriterOptions): BatchWriter {
  const { file, onEnd, everyMs, scrub } = options
  let ended: BatchResult | undefined
  const end = ({ message }: Error): void => {
    if (ended) return
    ended = { kind: 'refused', reason: message, broken: true }
    onEnd(ended)
  }
  const onOdd = (odd: Odd<'log'>): void => {
    scrub?.onOdd(odd)
    if (odd.kind !== 'index') return
    end(new Error(odd.message))
    try {
      markIndex(file)
    } catch (error) {
      // what is not remembered is found once more after the next start
      scrub?.onOdd({ kind: 'unknown', message: openRefusal(error, file).message })
    }
  }
  const watches = [
    watchFile({ file, everyMs, onGone: end, wayOn: copyOpenFile }),
    watchFile({ file: `${file}-wal`, everyMs, onGone: end, wayOn: stopInOrder }),
  ]
  const scrubbing = scrub && scrubDaily({ ...scrub, of: 'log', file, onOdd })
  return {
    write: async (batch) => ended ?? writer.write(batch),
    probe: async () => {
      if (ended) return ended
      const result = await writer.probe()
      // one that was under way meanwhile does not make it well again
      return ended ?? result
    },
    hear: writer.hear,
    close: async () => {
      for (const { close } of watches) close()
      await scrubbing?.close()
      await writer.close()
    },
  }
}

const stopInOrder =
  'stop the service with SIGTERM, which moves what is in it into log.db, and start it again'
