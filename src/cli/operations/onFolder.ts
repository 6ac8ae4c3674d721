/** Runs commands that open a data folder directly: options, master key, progress, Ctrl-C. */

import { masterKeyMistake, masterKeyOf, unpairedServer } from '../../config.ts'
import type { LongWork } from '../../stores/transfer/copyStores.ts'
import type { Servers } from '../../stores/transfer/serverStores.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { interruptedError, isCliError, usageError } from '../terminal/cliError.ts'
import type { Environment } from '../terminal/environment.ts'
import { openProgress } from '../terminal/progress.ts'

export const dataOption = [
  '--data <folder>',
  'the data folder (default: VIGIL_DATA, else ./data)',
] as const

/** The master key of this text, as the service takes it. Throws `usage` for a text that is none. */
export function masterKeyIn(text: string | undefined): Uint8Array | undefined {
  const key = text === undefined ? undefined : masterKeyOf(text)
  if (text !== undefined && !key) throw usageError(masterKeyMistake)
  return key
}

/** The servers that keep log and keys; undefined where the folder does. Throws `usage` when only one of them is named. */
export function serversIn({
  eventStoreUrl,
  mongoDbUrl,
}: Pick<Environment, 'eventStoreUrl' | 'mongoDbUrl'>): Servers | undefined {
  const [mistake] = unpairedServer({ eventStoreUrl, mongoDbUrl })
  if (mistake !== undefined) throw usageError(mistake)
  if (eventStoreUrl === undefined || mongoDbUrl === undefined) return undefined
  return { eventStoreUrl, mongoDbUrl }
}

/** Does it, shows how far it has come and ends it at Ctrl-C; what it is refused with is for the person at the terminal. */
export async function onFolder<Result>(
  { context, flags }: Pick<Invocation, 'context' | 'flags'>,
  work: (long: LongWork) => Promise<Result>,
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

/** A line for each new percentage: long work says more often how far it is than anybody can read. */
function inPercent(show: (text: string) => void): LongWork['onProgress'] {
  let shown = ''
  return (step, done, of) => {
    const text = `${step}: ${of === 0 ? 100 : Math.floor((done / of) * 100)} %`
    if (text !== shown) show(text)
    shown = text
  }
}

/** A number as people read it. */
export function counted(count: number, one: string): string {
  return `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`
}
