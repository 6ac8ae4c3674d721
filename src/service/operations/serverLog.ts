/** The log of a data folder that a server keeps, where it may have lost something: what the folder and the read models remember of it. */

import type { DataFolder } from '../../stores/embedded/dataFolder.ts'
import { type LogLoss, logLossOf } from '../../stores/embedded/inspectLog.ts'
import { type LogWitness, readLogWitnesses } from '../../stores/embedded/logWitnesses.ts'
import type { LossRecord } from '../../stores/embedded/recordLoss.ts'
import type { EventStore, RecordedEvent } from '../../stores/eventStore.ts'
import { eventStoreUrlMistakes } from '../../stores/eventStoreUrl.ts'
import { markOf, rememberEnd } from './rememberEnd.ts'
import type { LossOptions } from './restoreFolder.ts'

export interface ServerLog {
  readonly events: EventStore
  /** What the log lacks by the word of its witnesses, or undefined. */
  readonly findLoss: () => Promise<LogLoss | undefined>
  /** Appends to the stream; answers the position. */
  readonly append: (record: Pick<LossRecord, 'stream' | 'event'>) => Promise<number>
  /** Has every witness know the end that the log has now. */
  readonly goOnWithout: () => Promise<void>
}

/** Does it with the log of the server. Rejects with an `Error` that says what to do when it cannot be used. */
export async function withServerLog<Result>(
  folder: DataFolder,
  { eventStoreUrl: url = '', clock, mongo }: LossOptions,
  work: (log: ServerLog) => Promise<Result>,
): Promise<Result> {
  const [mistake] = eventStoreUrlMistakes(url)
  if (mistake !== undefined) throw new Error(`EVENTSTORE_URL ${mistake}`)
  const { inspectEventStoreDb } = await import('../../stores/eventstoredb/openEventStoreDb.ts')
  const { events, bearsOut } = await inspectEventStoreDb({ url })
  try {
    return await work({
      events,
      findLoss: async () => {
        const witnesses = [...readLogWitnesses(folder), ...(mongo?.witnesses ?? [])]
        const right = new Set<LogWitness>()
        for (const witness of witnesses) if (await bearsOut(witness)) right.add(witness)
        const kept = keptOf(await events.readTail(1))
        return logLossOf({ kept, bearsOut: (witness) => right.has(witness) }, witnesses)
      },
      append: (record) => appendTo(events, record),
      goOnWithout: async () => {
        const [last] = await events.readTail(1)
        const mark = last && markOf(last, clock.nowMs())
        await mongo?.rememberEnd(mark)
        rememberEnd(folder, mark)
      },
    })
  } finally {
    await events.close()
  }
}

/** Nobody else is to write meanwhile. */
async function appendTo(
  events: EventStore,
  { stream, event }: Pick<LossRecord, 'stream' | 'event'>,
): Promise<number> {
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
