/** Detects damaged stores while the service runs: logs, counts and remembers each damage. */

import { Failure } from '../domain/failure.ts'
import type { Logger } from '../log.ts'
import type { DamagedStore } from '../metrics/meters.ts'
import type { Metrics } from '../metrics/openMetrics.ts'
import { dataFolder } from '../stores/embedded/dataFolder.ts'
import type { EventStore } from '../stores/eventStore.ts'
import type { ReadModelsThread } from './openReadModels.ts'

export interface Damage {
  /** Whether the store was found damaged since the start. */
  readonly isFound: () => boolean
  /** The same function of the store; of what it rejects with, a damage is noted, counted, and written to the log, each once. */
  readonly noting: <Args extends readonly unknown[], Answer>(
    ask: (...args: Args) => Promise<Answer>,
  ) => (...args: Args) => Promise<Answer>
  /** The same of every function of a store, which has nothing else. */
  readonly notingAll: <Store extends object>(store: Store) => Store
}

/** Damages that are told apart: a log of which much is damaged is not to fill the operator's. */
const toldMax = 100

interface DamageOptions {
  readonly logger: Pick<Logger, 'error'>
  readonly metrics: Pick<Metrics, 'damaged'>
  /** Named with each, where what is thrown may not name it. */
  readonly file?: string
}

/** Of one store; none found yet. */
export function openDamage(store: DamagedStore, { logger, metrics, file }: DamageOptions): Damage {
  const told = new Set<string>()
  const note = (error: unknown): void => {
    if (!(error instanceof Failure && error.isDamage)) return
    metrics.damaged(store)
    const { cause: err = error } = error
    const what = err instanceof Error ? err.message : String(err)
    if (told.has(what) || told.size >= toldMax) return
    told.add(what)
    logger.error(
      { kind: 'damage', store, ...(file !== undefined && { file }), err },
      sentences[store],
    )
  }
  const noting: Damage['noting'] =
    (ask) =>
    async (...args) => {
      try {
        return await ask(...args)
      } catch (error) {
        note(error)
        throw error
      }
    }
  return {
    isFound: () => told.size > 0,
    noting,
    notingAll: (whole) => {
      const functions = Object.entries(whole).map(([name, ask]) => [name, noting(ask)])
      return Object.fromEntries(functions) as typeof whole
    },
  }
}

/** The readers of a log are told of a damage, and only they: one old event that cannot be read is no reason to take no others. */
export function notingLog(events: EventStore, options: DamageOptions): EventStore {
  const { noting } = openDamage('events', options)
  return {
    ...events,
    readStream: noting(events.readStream),
    readNews: noting(events.readNews),
    readAll: noting(events.readAll),
    readTail: noting(events.readTail),
  }
}

const sentences: Readonly<Record<DamagedStore, string>> = {
  events: 'The event log is damaged: what cannot be read of it is answered 503.',
  documents:
    'The read models are damaged: stop Vigil, delete views.db and start again, which builds them anew from the log.',
  keys: 'The key store is damaged: restore the sealing keys.',
}

interface FilesToCheck extends Pick<DamageOptions, 'logger'> {
  /** The absolute path of the data folder. */
  readonly folder: string
  /** Takes what is found. */
  readonly damagedFiles: Set<DamagedStore>
  readonly ask: ReadModelsThread['ask']
}

/** Checks every file once as a whole, while the service runs. */
export async function checkFiles({
  folder,
  logger,
  damagedFiles,
  ask,
}: FilesToCheck): Promise<void> {
  const { keys, views, log } = dataFolder(folder)
  const files = { keys, documents: views, events: log }
  for (const [store, file] of Object.entries(files) as [DamagedStore, string][]) {
    // a thread that has ended, or is to end, answers no more
    const found = await ask('findDamage', file).catch(() => undefined)
    if (found === undefined) continue
    damagedFiles.add(store)
    logger.error({ kind: 'damage', store, file }, `${found}. ${wayOn[store]}`)
  }
}

const wayOn: Readonly<Record<DamagedStore, string>> = {
  events: 'Stop Vigil and restore a backup.',
  documents: 'Stop Vigil, delete views.db and start again, which builds it anew from the log.',
  keys: 'Stop Vigil and restore a backup.',
}
