/** The reading half of the embedded event store; a thread of projections can have one of its own. */

import { type EventStore, mayGoOn } from '../eventStore.ts'
import { unavailable } from './databaseTrouble.ts'
import { dataFolder } from './dataFolder.ts'
import { followLog, followStreams } from './followLog.ts'
import { type LogReader, openLogReader } from './logReader.ts'
import { openRecentStreams } from './recentStreams.ts'
import { sharedHead } from './sharedHead.ts'

export type EventReader = Omit<EventStore, 'append' | 'takesAppends'>

export interface EventReaderOptions {
  /** The data folder of an event store that this process has open. */
  readonly folder: string
  /** `headBuffer` of that store. */
  readonly headBuffer: SharedArrayBuffer
}

/**
 * Reads and follows the log of an open store, in any thread of its process. After `close` every call, and every iteration that
 * was following, ends with `unavailable`.
 */
export function openEmbeddedEventReader(options: EventReaderOptions): EventReader {
  const { folder, headBuffer } = options
  const reader = closable(openLogReader(dataFolder(folder).log))
  const head = sharedHead(headBuffer)
  const recent = openRecentStreams({
    read: (after, end) => reader.current().places(after, end),
  })
  return {
    readStream: async (stream, page) => reader.current().readStream(stream, page),
    readNews: async (stream, { known, ...page }) => {
      const current = reader.current()
      const end = head.position()
      if (end <= known) return { events: [], position: known }
      if (recent.isQuiet(stream, known, end)) return { events: [], position: end }
      const events = current.readStream(stream, page)
      const last = mayGoOn(page, events) ? (events.at(-1)?.position ?? known) : end
      return { events, position: last }
    },
    readAll: async (page) => reader.current().readAll(page),
    readTail: async (limit, stream) => reader.current().readTail(limit, stream),
    follow: async function* (after, signal) {
      const until = AbortSignal.any([signal, reader.closed])
      const log = { reader: reader.current(), head }
      yield* followLog(log, after, until)
      if (!signal.aborted) throw closedFailure()
    },
    followStreams: async function* (prefixes, after, signal) {
      const until = AbortSignal.any([signal, reader.closed])
      const log = { read: reader.current().ofStreams(prefixes), head }
      yield* followStreams(log, after, until)
      if (!signal.aborted) throw closedFailure()
    },
    head: async () => head.position(),
    close: async () => reader.close(),
  }
}

interface ClosableReader {
  readonly current: () => LogReader
  readonly closed: AbortSignal
  readonly close: () => void
}

function closable(reader: LogReader): ClosableReader {
  const closing = new AbortController()
  return {
    current: () => {
      if (closing.signal.aborted) throw closedFailure()
      return reader
    },
    closed: closing.signal,
    close: () => {
      if (closing.signal.aborted) return
      closing.abort()
      reader.close()
    },
  }
}

function closedFailure() {
  return unavailable('event log', new Error('the event log is closed'))
}
