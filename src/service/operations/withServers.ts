/** The servers that keep log and keys, where the log may have lost something: the read models remember how far it had come. */

import { type LogLoss, logLossOf } from '../../stores/embedded/inspectStores.ts'
import type { LossRecord } from '../../stores/embedded/recordLoss.ts'
import type { LogWitness } from '../../stores/embedded/witnesses.ts'
import type { EventStore, RecordedEvent } from '../../stores/eventStore.ts'
import { eventStoreUrlMistakes } from '../../stores/eventStoreUrl.ts'
import { type OpenedMongo, openMongo } from '../opening/openMongo.ts'
import type { Servers } from './migration/migrateFolder.ts'

type LossEvent = Pick<LossRecord, 'stream' | 'event'>

export interface OpenedServers {
  readonly log: {
    readonly events: EventStore
    /** What the log lacks by the word of the read models, or undefined. */
    readonly findLoss: () => Promise<LogLoss | undefined>
    /** Appends to the stream; answers the position. */
    readonly append: (record: LossEvent) => Promise<number>
  }
  readonly mongo: OpenedMongo
}

/** Does it with both servers open. Rejects with an `Error` that says what to do when one cannot be used. */
export async function withServers<Result>(
  { eventStoreUrl: url, mongoDbUrl }: Servers,
  work: (opened: OpenedServers) => Promise<Result>,
): Promise<Result> {
  const [mistake] = eventStoreUrlMistakes(url)
  if (mistake !== undefined) throw new Error(`EVENTSTORE_URL ${mistake}`)
  const mongo = await openMongo(mongoDbUrl)
  try {
    const { inspectEventStoreDb } = await import('../../stores/eventstoredb/openEventStoreDb.ts')
    const { events, bearsOut } = await inspectEventStoreDb({ url })
    const findLoss = async () => {
      const right = new Set<LogWitness>()
      for (const witness of mongo.witnesses) if (await bearsOut(witness)) right.add(witness)
      const kept = keptOf(await events.readTail(1))
      return logLossOf({ kept, bearsOut: (witness) => right.has(witness) }, mongo.witnesses)
    }
    try {
      const append = (record: LossEvent) => appendTo(events, record)
      return await work({ log: { events, findLoss, append }, mongo })
    } finally {
      await events.close()
    }
  } finally {
    await mongo.close()
  }
}

/** Nobody else is to write meanwhile. */
async function appendTo(events: EventStore, { stream, event }: LossEvent): Promise<number> {
  const page = await events.readStream(stream, { from: 0, limit: lossesMax })
  const last = page.at(-1)
  const expected = last ? last.revision : 'no_stream'
  const answer = await events.append({ stream, events: [event], expected })
  if (answer.ok) return answer.position
  throw new Error('Somebody else writes to the log: stop every service that uses it first.')
}

const lossesMax = 10_000

function keptOf([last]: readonly RecordedEvent[]): LogLoss['kept'] {
  if (!last) return { position: 0 }
  const { time } = JSON.parse(last.metadata) as { readonly time?: unknown }
  return { position: last.position, ...(typeof time === 'number' && { atMs: time }) }
}
