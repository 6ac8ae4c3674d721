/** Detects damaged stores, at use and by checking all files once; logs each damage. */

import { Failure } from '../domain/failure.ts'
import type { Logger } from '../log.ts'
import type { DamagedStore } from '../metrics/meters.ts'
import type { Metrics } from '../metrics/openMetrics.ts'
import { dataFolderAt } from '../stores/embedded/dataFolder.ts'
import { markReadStoreDamaged } from '../stores/embedded/readStoreFile.ts'
import { withErrorReporting } from '../stores/withErrorReporting.ts'
import type { ReadModelsThread } from './startReadModels.ts'

/** Damages that are logged one by one, so that a widely damaged store does not fill the log. */
const loggedMax = 100

const sentences: Readonly<Record<DamagedStore, string>> = {
  events:
    'The event log is damaged: what cannot be read of it is answered 503; stop Vigil and restore a backup.',
  documents: 'The read models are damaged: the next start of Vigil builds them anew from the log.',
  keys: 'The key store is damaged: stop Vigil and restore the sealing keys from a backup.',
}

interface Reporting<Store> {
  readonly of: DamagedStore
  readonly names: readonly (keyof Store)[]
  readonly logger: Pick<Logger, 'error'>
  readonly metrics: Pick<Metrics, 'damaged'>
  /** Named with each, where what is thrown may not name it. */
  readonly file?: string | undefined
  /** Takes the store, which is not ready any more, once a damage was found; of the log one old event is no reason. */
  readonly damagedFiles?: Set<DamagedStore>
}

/** The same store, which counts every damage that these functions reject with, and logs each once. */
export function reportDamage<Store extends object>(store: Store, options: Reporting<Store>): Store {
  const { of, names, logger, metrics, file, damagedFiles } = options
  const logged = new Set<string>()
  return withErrorReporting(store, names, (error) => {
    if (!(error instanceof Failure && error.isDamage)) return
    metrics.damaged(of)
    damagedFiles?.add(of)
    const { cause: err = error } = error
    const what = err instanceof Error ? err.message : String(err)
    if (logged.has(what) || logged.size >= loggedMax) return
    logged.add(what)
    logger.error({ kind: 'damage', store: of, ...(file && { file }), err }, sentences[of])
  })
}

/** Checks every file of the data folder once as a whole, while the service runs. */
export async function checkDataFiles(
  folder: string,
  { logger, damagedFiles }: Required<Pick<Reporting<object>, 'logger' | 'damagedFiles'>>,
  { call }: Pick<ReadModelsThread, 'call'>,
): Promise<void> {
  const { keys, views, log } = dataFolderAt(folder)
  const files = { keys, documents: views, events: log }
  for (const [store, file] of Object.entries(files) as [DamagedStore, string][]) {
    const found = await call('findDamage', file).catch((error: Error) =>
      // a thread that has ended, or is to end, answers no more; any other error is that of the file
      error instanceof Failure ? undefined : error.message,
    )
    if (found === undefined) continue
    damagedFiles.add(store)
    if (store === 'documents') markReadStoreDamaged(folder)
    logger.error({ kind: 'damage', store, file, found }, sentences[store])
  }
}
