import type { DomainEvent, EventMetadata } from '../../src/events/recording/event.ts'
import { allProjections } from '../../src/projections/allProjections.ts'
import type { Readers } from '../../src/projections/running/documents.ts'
import type { Projections } from '../../src/projections/running/projectionState.ts'
import type { ReadStore } from '../../src/stores/readStore.ts'
import { decodeLetters } from './lettersProjection.ts'
import { type MemoryLog, memoryLog } from './memoryEventStore.ts'
import { type MemoryDisk, memoryDisk, memoryReadStore } from './memoryReadStore.ts'
import { runTracked } from './trackProjections.ts'

export interface ReadModelsRun {
  readonly log: MemoryLog
  readonly disk: MemoryDisk
  readonly projections: Projections
  readonly readers: Readers
  /** Adds an event of the account and waits until every read model has it. */
  readonly tell: (
    event: DomainEvent,
    metadata?: Partial<EventMetadata>,
    stream?: string,
  ) => Promise<void>
  readonly caughtUp: () => Promise<boolean>
}

/** All read models over a log and a store, both in memory unless given. */
export function runReadModels(
  log: MemoryLog = memoryLog(),
  disk: MemoryDisk = memoryDisk(),
  documents: ReadStore = memoryReadStore(disk, undefined, () => 0),
): ReadModelsRun {
  const projections = runTracked({
    eventStore: log,
    readStore: documents,
    projections: allProjections,
    decode: decodeLetters,
    onOtherLog: 'refuse',
    pace: { backoffMs: 1, backoffMaxMs: 2, delayMs: 1, expiriesEveryMs: 5 },
  })
  const caughtUp = async (): Promise<boolean> => await projections.waitFor(await log.head(), 10_000)
  return {
    log,
    disk,
    projections,
    readers: { documents, projections },
    caughtUp,
    tell: async ({ type, data }, metadata = {}, stream = 'some-stream') => {
      log.add(stream, type, data, { account: 'acc_a', ...metadata })
      await caughtUp()
    },
  }
}

/** Every document of every read model. */
export function everything({ collections }: MemoryDisk): ReadonlyMap<string, unknown> {
  return new Map(
    [...collections].flatMap(([name, documents]) =>
      [...documents.values()].flatMap(({ id, body }) => (body ? [[`${name} ${id}`, body]] : [])),
    ) as [string, unknown][],
  )
}
