/** What the workers have counted. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessLine } from '../domain/processLine.ts'
import type { Counted } from '../metrics/openMetrics.ts'

/** A worker that takes longer is left out. */
const answerMs = 2_000

/** Of each worker that answers in time. */
export async function countedBy(lines: readonly ProcessLine[]): Promise<readonly Counted[]> {
  const counted = await Promise.all(lines.map(countedByOne))
  return counted.filter((one) => one !== undefined)
}

async function countedByOne(line: ProcessLine): Promise<Counted | undefined> {
  const answered = new AbortController()
  const late = sleep(answerMs, undefined, { signal: answered.signal }).catch(() => undefined)
  try {
    return (await Promise.race([line.ask('counted'), late])) as Counted | undefined
  } catch {
    // it has ended, and its end is told elsewhere
    return undefined
  } finally {
    answered.abort()
  }
}
