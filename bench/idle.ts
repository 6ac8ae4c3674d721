/** What the service costs while nobody asks it anything. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Benchmark } from './benchmark.ts'
import { startVigil, temporaryFolder } from './childProcess.ts'
import { type Figure, figureOf } from './figure.ts'
import { residentMebibytes } from './memory.ts'
import { processorTimeOf, spentBetween } from './processorTime.ts'
import { openShop } from './shop.ts'
import { sixtyRules } from './sixtyRules.ts'

const against = 'nothing, in absolute terms'

/** Leaves a service with one account alone: its processor time in a minute, then its resident memory. */
export const idle: Benchmark = async ({ size }) => {
  const minuteMs = { full: 60_000, quick: 20_000, smallest: 100 }[size]
  const minutes = { full: 5, quick: 1, smallest: 1 }[size]
  const folder = temporaryFolder()
  const vigil = await startVigil(folder.path)
  try {
    await openShop(vigil.port, sixtyRules)
    await sleep(minuteMs / 6)
    const seconds: number[] = []
    for (let minute = 0; minute < minutes; minute += 1) {
      const before = processorTimeOf(vigil.pid)
      await sleep(minuteMs)
      const spent = spentBetween(before, processorTimeOf(vigil.pid), vigil.pid)
      seconds.push(spent.reduce((sum, us) => sum + us, 0) / 1e6)
    }
    return [processor(seconds, minuteMs), resident(residentMebibytes(vigil.pid), minutes)]
  } finally {
    await vigil.stop()
    folder.remove()
  }
}

function processor(seconds: readonly number[], minuteMs: number): Figure {
  const name = `idle service: processor time of all threads in ${minuteMs / 1_000} s`
  const target = { bound: 'at most', value: (0.5 * minuteMs) / 60_000 } as const
  return figureOf({ name, against, unit: 's', target }, seconds)
}

function resident(mebibytes: number, minutes: number): Figure {
  const name = `same, resident memory after ${minutes} of these`
  return figureOf({ name, against, unit: 'MiB', target: { bound: 'at most', value: 120 } }, [
    mebibytes,
  ])
}
