/** Runs a command on a data folder: options, master key, progress, Ctrl-C. */

import { masterKeyFormat, unpairedServerMistake } from '../../config.ts'
import type { CopyProgress } from '../../stores/transfer/copyStores.ts'
import type { ServerUrls } from '../../stores/transfer/serverStores.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { interruptedError, isCliError, usageError } from '../terminal/cliError.ts'
import type { Environment } from '../terminal/environment.ts'
import { openProgress } from '../terminal/screen.ts'

export const dataFolderOptions = {
  '--data <folder>': 'the data folder (default: VIGIL_DATA, else ./data)',
} as const

/** Parses the master key as the service does. Throws `usage` for an invalid one. */
export function parseMasterKey(text: string | undefined): Uint8Array | undefined {
  if (text === undefined) return undefined
  const key = masterKeyFormat.parse(text)
  if (key) return key
  throw usageError(`VIGIL_MASTER_KEY must be ${masterKeyFormat.form}.`)
}

/** The servers that store log and keys; undefined when the folder does. Throws `usage` when only one is configured. */
export function resolveServers({ eventStoreUrl, mongoDbUrl }: Environment): ServerUrls | undefined {
  const [mistake] = unpairedServerMistake({ eventStoreUrl, mongoDbUrl })
  if (mistake !== undefined) throw usageError(mistake)
  if (eventStoreUrl === undefined || mongoDbUrl === undefined) return undefined
  return { eventStoreUrl, mongoDbUrl }
}

/** Runs the work with progress and Ctrl-C handling; its errors become `usage` errors. */
export async function runOnDataFolder<Result>(
  { context, flags }: Invocation,
  work: (long: CopyProgress) => Promise<Result>,
): Promise<Result> {
  const progress = openProgress(context, flags)
  const signal = context.interrupted
  try {
    return await work({ signal, onProgress: inPercent(progress.show) })
  } catch (error) {
    if (signal.aborted) throw interruptedError()
    if (isCliError(error)) throw error
    throw usageError(error instanceof Error ? error.message : String(error))
  } finally {
    progress.clear()
  }
}

/** Shows only new percentages, since long work reports progress very often. */
function inPercent(show: (text: string) => void): CopyProgress['onProgress'] {
  let shown = ''
  return (step, done, of) => {
    const text = `${step}: ${of === 0 ? 100 : Math.floor((done / of) * 100)} %`
    if (text !== shown) show(text)
    shown = text
  }
}
