/** Which streams the newest events of the log belong to: most streams are asked for news when there is none. */

/** Position and stream of an event. */
export type EventPlace = readonly [position: number, stream: string]

export interface RecentStreams {
  /** Whether nothing has come to the stream after position `known` and up to `end`, the end of the log; false where that is not known. */
  readonly isQuiet: (stream: string, known: number, end: number) => boolean
}

/** The last events of streams within a stretch of the log, which begins after position `from`. */
interface Stretch {
  readonly from: number
  readonly last: Map<string, number>
}

interface RecentStreamsOptions {
  /** The places of the events after a position and up to another one, in the order of the log. */
  readonly read: (after: number, end: number) => readonly EventPlace[]
  /** Streams of a stretch. Two are known: the newer one grows. */
  readonly stretchMax?: number
  /** Positions that are looked at for one question: with more of them the stream is asked itself. */
  readonly stepMax?: number
}

/** Knows nothing at first. */
export function openRecentStreams(options: RecentStreamsOptions): RecentStreams {
  const { read, stretchMax = 4_096, stepMax = 128 } = options
  let older: Stretch = { from: 0, last: new Map() }
  let newer = older
  let to = 0

  const forget = (end: number): void => {
    newer = { from: end, last: new Map() }
    older = newer
  }
  const goOn = (end: number): void => {
    if (end - to > stepMax) forget(end)
    else {
      for (const [position, stream] of read(to, end)) newer.last.set(stream, position)
    }
    to = end
    if (newer.last.size < stretchMax) return
    older = newer
    newer = { from: end, last: new Map() }
  }

  return {
    isQuiet: (stream, known, end) => {
      if (end > to) goOn(end)
      if (known < older.from) return false
      return (newer.last.get(stream) ?? older.last.get(stream) ?? 0) <= known
    },
  }
}
