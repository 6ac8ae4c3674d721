/** Detects damaged stores while the service runs: logs, counts and remembers each damage. */

import { Failure } from '../domain/failure.ts'
import type { Logger } from '../log.ts'
import type { DamagedStore } from '../metrics/damageMeter.ts'
import type { Metrics } from '../metrics/openMetrics.ts'
import { dataFolder } from '../stores/embedded/dataFolder.ts'
import type { ReadModelsThread } from './openReadModels.ts'

/** Damages that are told apart: a log of which much is damaged is not to fill the operator's. */
const toldMax = 100

const sentences: Readonly<Record<DamagedStore, string>> = {
  events:
    'The event log is damaged: what cannot be read of it is answered 503; stop Vigil and restore a backup.',
  documents:
    'The read models are damaged: stop Vigil, delete views.db and start again, which builds them anew from the log.',
  keys: 'The key store is damaged: stop Vigil and restore the sealing keys from a backup.',
}

export interface DamageOptions {
  readonly logger: Pick<Logger, 'error'>
  readonly metrics: Pick<Metrics, 'damaged'>
  /** Named with each, where what is thrown may not name it. */
  readonly file?: string
}

/** A store that counts, logs and remembers the damages that some of its functions reject with, each once. */
export function notingDamage<Store extends object>(
  store: Store,
  { of, names, logger, metrics, file }: DamageOptions & NotedFunctions<Store>,
): { readonly store: Store; readonly isFound: () => boolean } {
  const told = new Set<string>()
  const note = (error: unknown): void => {
    if (!(error instanceof Failure && error.isDamage)) return
    metrics.damaged(of)
    const { cause: err = error } = error
    const what = err instanceof Error ? err.message : String(err)
    if (told.has(what) || told.size >= toldMax) return
    told.add(what)
    const where = file === undefined ? {} : { file }
    logger.error({ kind: 'damage', store: of, ...where, err }, sentences[of])
  }
  const noting = names.map((name) => {
    const ask = store[name] as (...args: readonly unknown[]) => Promise<unknown>
    const asked = (...args: readonly unknown[]) =>
      ask(...args).catch((error: unknown) => {
        note(error)
        throw error
      })
    return [name, asked]
  })
  return { store: { ...store, ...Object.fromEntries(noting) }, isFound: () => told.size > 0 }
}

interface NotedFunctions<Store> {
  readonly of: DamagedStore
  readonly names: readonly (keyof Store)[]
}

interface FilesToCheck extends Pick<DamageOptions, 'logger'> {
  /** The absolute path of the data folder. */
  readonly folder: string
  /** Takes what is found. */
  readonly damagedFiles: Set<DamagedStore>
  readonly ask: ReadModelsThread['ask']
}

/** Checks every file once as a whole, while the service runs. */
export async function checkFiles(options: FilesToCheck): Promise<void> {
  const { folder, logger, damagedFiles, ask } = options
  const { keys, views, log } = dataFolder(folder)
  const files = { keys, documents: views, events: log }
  for (const [store, file] of Object.entries(files) as [DamagedStore, string][]) {
    // a thread that has ended, or is to end, answers no more
    const found = await ask('findDamage', file).catch(() => undefined)
    if (found === undefined) continue
    damagedFiles.add(store)
    logger.error({ kind: 'damage', store, file, found }, sentences[store])
  }
}
