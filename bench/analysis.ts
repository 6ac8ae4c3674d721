/** What analysts ask of a log: scans, backtests, statistics and exports, and what they cost those who evaluate. */

import type { Benchmark } from './benchmark.ts'
import { besideScans, counting } from './besideScan.ts'
import { folderWith, logSizes } from './logs.ts'
import { scanMemory } from './scanMemory.ts'
import { scanFigures } from './scanRates.ts'
import { statisticsAnswers } from './statisticsAnswer.ts'

/** Measures all of it. */
export const analysis: Benchmark = async ({ size }) => {
  const { many } = logSizes(size)
  const folder = await folderWith(many)
  return [
    ...(await scanFigures(folder, size, many)),
    ...(await scanMemory(folder, size, many)),
    ...(await statisticsAnswers(size)),
    await counting(size),
    ...(await besideScans(size)),
  ]
}
