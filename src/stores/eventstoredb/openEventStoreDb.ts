/** Opens the event store on an EventStoreDB server or cluster. */

import { checkAppend } from '../checkAppend.ts'
import type { CommitStatistics } from '../commitStatistics.ts'
import type { EventStore } from '../eventStore.ts'
import { eventStoreAddress } from '../eventStoreUrl.ts'
import { appendHealth } from './appends/appendHealth.ts'
import { appendLimits } from './appends/appendLimits.ts'
import { type AppendPace, appendPace, sureAppends } from './appends/appendSurely.ts'
import { probeAppends } from './appends/probeAppends.ts'
import { checkWitnesses, isThere, type RememberedEvent } from './checkWitnesses.ts'
import { clockSkew } from './clockSkew.ts'
import { type Connection, openConnection } from './connection.ts'
import { eventReads } from './eventReads.ts'
import { type FollowPace, followPace } from './followLog.ts'
import { type LogEnd, logEnd } from './logEnd.ts'
import { meetServer } from './meetServer.ts'
import { wordsOfError } from './protocolErrors.ts'
import { type PageReader, pageReader, type ReadPace, readPace } from './readPage.ts'
import { openWire } from './wire.ts'

interface EventStoreDbPace extends AppendPace, ReadPace, FollowPace {
  /** How long a start waits for the server. */
  readonly startMs: number
  /** Time between two tries whether appends go through again. */
  readonly probeEveryMs: number
}

export interface EventStoreDbOptions {
  /** A connection string without mistakes, see `eventStoreUrlMistakes`. */
  readonly url: string
  readonly onCommit?: (statistics: CommitStatistics) => void
  /** Told why the log takes no appends any more, and with undefined when it does again. */
  readonly onTrouble?: (reason: string | undefined) => void
  /** Told once what a start waits for, where the server is not there at once. */
  readonly onWaiting?: (what: string) => void
  /** Told why a subscription has ended; it is taken up again by itself. */
  readonly onDrop?: (reason: unknown) => void
  /** Told by how much the server's clock is ahead of this one. */
  readonly onClockAhead?: (ms: number) => void
  readonly pace?: Partial<EventStoreDbPace>
}

const usualPace: EventStoreDbPace = Object.freeze({
  ...appendPace,
  ...readPace,
  ...followPace,
  startMs: 30_000,
  probeEveryMs: 5_000,
})

/**
 * Opens the store once the server answers. Rejects with an `Error` for the operator when it does not in time, denies access, is older than
 * 22.6, or its log lacks events of its witnesses. There may be one such store in a thread.
 */
export async function openEventStoreDb(
  options: EventStoreDbOptions,
  witnesses: readonly RememberedEvent[] = [],
): Promise<EventStore> {
  const pace = { ...usualPace, ...options.pace }
  const parts = connect(options, pace)
  try {
    await meetServer({ ...parts, ...pace, onWaiting: options.onWaiting })
    await checkWitnesses(parts, witnesses)
  } catch (error) {
    await parts.connection.close()
    throw error
  }
  return joinStore(parts, options, pace)
}

/** A log that is inspected for lost events. */
export interface InspectedEventStoreDb {
  readonly events: EventStore
  /** Whether it has what somebody remembers. Rejects with `unavailable`. */
  readonly bearsOut: (witness: RememberedEvent) => Promise<boolean>
}

/** Like `openEventStoreDb`, also on a log that lacks events of its witnesses. */
export async function inspectEventStoreDb(
  options: EventStoreDbOptions,
): Promise<InspectedEventStoreDb> {
  const pace = { ...usualPace, ...options.pace }
  const parts = connect(options, pace)
  try {
    await meetServer({ ...parts, ...pace, onWaiting: options.onWaiting })
  } catch (error) {
    await parts.connection.close()
    throw error
  }
  const events = joinStore(parts, options, pace)
  return { events, bearsOut: (witness) => isThere(parts.reader, witness) }
}

/** The store on a server that was already met; no request is made before the first use. */
export function joinEventStoreDb(options: EventStoreDbOptions): EventStore {
  const pace = { ...usualPace, ...options.pace }
  return joinStore(connect(options, pace), options, pace)
}

interface Parts {
  readonly connection: Connection
  readonly reader: PageReader
  readonly end: LogEnd
}

function connect({ url }: EventStoreDbOptions, pace: EventStoreDbPace): Parts {
  const address = eventStoreAddress(url)
  const connection = openConnection((generation) => openWire(address, generation))
  const reader = pageReader(connection, pace)
  return { connection, reader, end: logEnd(reader) }
}

function joinStore(parts: Parts, options: EventStoreDbOptions, pace: EventStoreDbPace): EventStore {
  const closing = new AbortController()
  const skew = clockSkew((ms) => options.onClockAhead?.(ms))
  const reads = eventReads({
    ...parts,
    pace,
    onCreated: skew.hear,
    onDrop: (reason) => options.onDrop?.(reason),
    closed: closing.signal,
  })
  const { close, ...appends } = openAppends(parts, options, pace)
  const closeAll = async (): Promise<void> => {
    // what is under way is answered before its connection ends
    await close()
    closing.abort()
    await parts.connection.close()
  }
  let closed: Promise<void> | undefined
  return {
    ...reads,
    ...appends,
    close: () => {
      closed ??= closeAll()
      return closed
    },
  }
}

/** The writing half; closing it lets nothing in any more and settles when all that was under way is answered. */
function openAppends(
  { connection, reader, end }: Parts,
  { onCommit, onTrouble }: EventStoreDbOptions,
  pace: EventStoreDbPace,
): Pick<EventStore, 'append' | 'takesAppends' | 'close'> {
  const room = appendLimits((statistics) => onCommit?.(statistics))
  const health = appendHealth({
    probe: () => probeAppends(connection, pace.attemptMs),
    onTrouble: (reason) => onTrouble?.(reason && wordsOfError(reason.cause ?? reason)),
    probeEveryMs: pace.probeEveryMs,
  })
  const appends = sureAppends({ connection, reader, pace, note: health.note })
  return {
    append: async (append) => {
      checkAppend(append)
      const answer = await room.within(append, () => appends.append(append))
      if (answer.ok) end.hear(answer.position)
      return answer
    },
    takesAppends: health.takesAppends,
    close: async () => {
      room.close()
      health.close()
      await appends.settled()
    },
  }
}
