/** Memory of the service while it scans, exports and runs backtests, over what it had at rest. */

import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AnalysedLog, newest, openLog, questions, readAnswer } from './analysedLog.ts'
import type { Size } from './benchmark.ts'
import { type Figure, figureOf } from './figure.ts'
import { median } from './statistics.ts'

/** Where a heap may be large, Node leaves what is not used any more in it for long. */
const heapMebibytes = 256
const restMs = 2_000
const sampleEveryMs = 50

const kinds = [
  { kind: 'opened', name: 'a scan with opening', mebibytes: 32 },
  { kind: 'export', name: 'an export as CSV', mebibytes: 32 },
  { kind: 'backtest', name: 'a backtest of 20 rules', mebibytes: 32 },
  { kind: 'parquet', name: 'an export as Parquet', mebibytes: 64 },
] as const

/** Each on a service of its own, once before, which does not count: code and caches are there at rest. */
export async function scanMemory(
  folder: string,
  size: Size,
  many: number,
): Promise<readonly Figure[]> {
  const count = { full: 200_000, quick: many, smallest: many }[size]
  const rounds = { full: 3, quick: 1, smallest: 1 }[size]
  const figures: Figure[] = []
  for (const { kind, name, mebibytes } of kinds) {
    const log = await openLog(folder, [`--max-old-space-size=${heapMebibytes}`])
    const more: number[] = []
    const rests: number[] = []
    try {
      const question = questions[kind](log, await newest(log, count, many))
      await readAnswer(log, questions[kind](log, await newest(log, count / 5, many)))
      for (let round = 0; round < rounds; round += 1) {
        await sleep(restMs)
        const rest = residentMebibytes(log.vigil.pid)
        rests.push(rest)
        more.push((await highest(log, () => readAnswer(log, question))) - rest)
      }
    } finally {
      await log.vigil.stop()
    }
    figures.push(
      figureOf(
        {
          name: `memory during ${name} of ${count.toLocaleString('en')} evaluations, heap of ${heapMebibytes} MiB`,
          against: 'before, a first time over',
          unit: 'MiB more',
          target: { bound: 'at most', value: mebibytes },
        },
        more,
        [`resident before: ${median(rests).toFixed(0)} MiB`],
      ),
    )
  }
  return figures
}

/** The most memory that the service has while the work lasts, in MiB. */
async function highest({ vigil }: AnalysedLog, work: () => Promise<unknown>): Promise<number> {
  let most = 0
  const look = setInterval(() => {
    most = Math.max(most, residentMebibytes(vigil.pid))
  }, sampleEveryMs)
  try {
    await work()
  } finally {
    clearInterval(look)
  }
  return Math.max(most, residentMebibytes(vigil.pid))
}

function residentMebibytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}
