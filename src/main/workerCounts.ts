/** What the workers have counted, those that have ended among them. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessLine } from '../domain/processLine.ts'
import { type Counted, countsOf } from '../metrics/sumOfProcesses.ts'

/** Of a worker that takes longer what it said before is taken. */
const answerMs = 2_000

export interface WorkerCounts {
  /** To be told of each worker's line once. */
  readonly add: (line: ProcessLine) => void
  /** Of every worker that there is or was. A sum of it never goes back, but for what one that ended had counted since it was asked last. */
  readonly counted: () => Promise<readonly Counted[]>
}

/** Opens it without a worker. */
export function openWorkerCounts(): WorkerCounts {
  const last = new Map<ProcessLine, Counted>()
  let ended: Counted | undefined
  /** One after the other: each adds to what those before have left. */
  let burying = Promise.resolve()

  const bury = async (line: ProcessLine): Promise<void> => {
    const counted = last.get(line)
    last.delete(line)
    if (counted && counted.length > 0) ended = await countsOf([...(ended ? [ended] : []), counted])
  }
  return {
    add: (line) => {
      last.set(line, [])
      void line.ended.then(() => {
        burying = burying.then(() => bury(line))
      })
    },
    counted: async () => {
      await Promise.all([...last.keys()].map((line) => ask(line, last)))
      await burying
      return [...last.values(), ...(ended ? [ended] : [])]
    },
  }
}

async function ask(line: ProcessLine, last: Map<ProcessLine, Counted>): Promise<void> {
  const answered = new AbortController()
  const late = sleep(answerMs, undefined, { signal: answered.signal }).catch(() => undefined)
  try {
    const counted = (await Promise.race([line.ask('counted'), late])) as Counted | undefined
    if (counted && last.has(line)) last.set(line, counted)
  } catch {
    // it has ended, or has not opened yet; what it said last stands
  } finally {
    answered.abort()
  }
}
