/** Opens EventStoreDB and MongoDB as target of a copy, and checks them for lost data. */

import { isVigilEvent } from '../../events/recording/event.ts'
import { findEventStoreUrlMistakes } from '../connectionStrings.ts'
import type { LogWitness } from '../eventStore.ts'
import {
  type Append,
  appendBytesMax,
  type EventStore,
  eventBytes,
  type RecordedEvent,
} from '../eventStore.ts'
import type { KeyTarget } from '../keys/keyRecords.ts'
import { describeLogLoss, type LogLoss } from '../losses.ts'
import { type OpenedMongo, openMongo } from '../mongodb/openMongo.ts'
import type { TransferTarget } from './copyStores.ts'

/** The connection strings of the servers. */
export interface ServerUrls {
  readonly eventStoreUrl: string
  readonly mongoDbUrl: string
}

export interface OpenedServers {
  readonly events: EventStore
  readonly mongo: OpenedMongo
  /** What the log lacks by the word of the read models, or undefined. */
  readonly findLogLoss: () => Promise<LogLoss | undefined>
}

/** Runs the work with both servers open. Rejects with an `Error` with advice when one cannot be used. */
export async function withServers<Result>(
  { eventStoreUrl: url, mongoDbUrl }: ServerUrls,
  work: (opened: OpenedServers) => Promise<Result>,
): Promise<Result> {
  const [mistake] = findEventStoreUrlMistakes(url)
  if (mistake !== undefined) throw new Error(`EVENTSTORE_URL ${mistake}`)
  const mongo = await openMongo(mongoDbUrl)
  try {
    const { openEventStoreDb } = await import('../eventstoredb/openEventStoreDb.ts')
    const events = await openEventStoreDb({ url, isOwn: isVigilEvent })
    const findLogLoss = async () => {
      const against: LogWitness[] = []
      for (const one of mongo.witnesses) if (!(await events.hasEvent(one))) against.push(one)
      const [last] = await events.readTail(1)
      return describeLogLoss(last?.position ?? 0, against)
    }
    try {
      return await work({ events, mongo, findLogLoss })
    } finally {
      await events.close()
    }
  } finally {
    await mongo.close()
  }
}

/** Most events of one append, and of one page that is read. */
const eventsAtOnce = 200

/**
 * An append is made when the one before is known to be written, and made again it is the same, so that every event is
 * there once and in order.
 */
export function createServerTarget(
  events: Pick<EventStore, 'append' | 'readAll' | 'readTail'>,
  keys: KeyTarget,
): TransferTarget {
  return {
    name: 'What EVENTSTORE_URL and MONGODB_URL name',
    log: {
      append: async (batch) => {
        for (const append of appendsOf(batch)) {
          if ((await events.append(append)).ok) continue
          throw new Error(
            `The EventStoreDB has other events in the stream ${append.stream}: somebody else has written to it. Name one that is empty.`,
          )
        }
      },
      after: (after) => events.readAll({ after, limit: eventsAtOnce }),
      last: async () => (await events.readTail(1))[0],
    },
    keys,
  }
}

/** Successive events of one stream go together, as far as the server takes so much at once. */
function* appendsOf(batch: readonly RecordedEvent[]): Generator<Append, void, undefined> {
  let group: RecordedEvent[] = []
  let bytes = 0
  for (const event of batch) {
    const size = eventBytes(event)
    const fits =
      group[0]?.stream === event.stream &&
      group.length < eventsAtOnce &&
      bytes + size <= appendBytesMax
    if (!fits && group.length > 0) yield appendOf(group)
    group = fits ? [...group, event] : [event]
    bytes = fits ? bytes + size : size
  }
  if (group.length > 0) yield appendOf(group)
}

function appendOf(events: readonly RecordedEvent[]): Append {
  const { stream = '', revision = 0 } = events[0] ?? {}
  return {
    stream,
    expected: revision === 0 ? 'no_stream' : revision - 1,
    events: events.map(({ id, type, data, metadata }) => ({ id, type, data, metadata })),
  }
}
