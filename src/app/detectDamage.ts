/** Detects damaged stores, at use and by checking all files once; logs each damage. */

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
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

type Checked = Required<Pick<Reporting<object>, 'damagedFiles'>> & {
  readonly logger: Pick<Logger, 'error' | 'warn'>
}

/** Begins to check every file of the data folder once as a whole, while the service runs; answers how to end it. */
export function startFileChecks(
  folder: string,
  checked: Checked,
  { call }: Pick<ReadModelsThread, 'call'>,
): () => Promise<void> {
  const closing = new AbortController()
  const { signal } = closing
  const { keys } = dataFolderAt(folder)
  // the keys in this process: another that reads them, and may outlive this one, is in the way of the next start
  const check = (file: string) =>
    file === keys ? call('findDamage', file) : findDamageApart(file, signal)
  const done = checkDataFiles(folder, { ...checked, signal, check })
  return () => {
    closing.abort()
    return done
  }
}

interface Checking extends Checked {
  readonly signal: AbortSignal
  /** What is wrong with a file, if anything is; rejects when that could not be found out. */
  readonly check: (file: string) => Promise<string | undefined>
}

/** Checks every file of the data folder; says nothing once the signal is aborted. */
export async function checkDataFiles(
  folder: string,
  { logger, damagedFiles, signal, check }: Checking,
): Promise<void> {
  const { keys, views, log } = dataFolderAt(folder)
  const files = { keys, documents: views, events: log }
  for (const [store, file] of Object.entries(files) as [DamagedStore, string][]) {
    const found = await check(file).catch((err: unknown): undefined => {
      if (!signal.aborted) logger.warn({ file, err }, 'A file could not be checked for damage.')
    })
    if (found === undefined) continue
    damagedFiles.add(store)
    if (store === 'documents') markReadStoreDamaged(folder)
    logger.error({ kind: 'damage', store, file, found }, sentences[store])
  }
}

/**
 * What `findDamage` finds, by a process of its own: SQLite checks a table in one call, for which a thread would answer
 * nothing else. Rejects when the process ends otherwise, also by the signal; settles once it has ended.
 */
export async function findDamageApart(
  file: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const isSource = import.meta.url.endsWith('.ts')
  const entry = fileURLToPath(new URL(`./damageCheck.${isSource ? 'ts' : 'js'}`, import.meta.url))
  const given = [...(isSource ? ['--import', 'tsx'] : []), entry, file]
  const checking = promisify(execFile)(process.execPath, given, { signal, env: {} })
  const closed = new Promise((resolve) => checking.child.once('close', resolve))
  try {
    const { stdout } = await checking
    return stdout === '' ? undefined : stdout
  } finally {
    await closed
  }
}
