/** Memory of the service after it has read many events, against after few. */

import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Benchmark } from './benchmark.ts'
import { startVigil } from './childProcess.ts'
import { figureOf } from './figure.ts'
import { folderWith, logSizes } from './logs.ts'
import { settled } from './readiness.ts'
import { median } from './statistics.ts'

const restMs = 2_000

/**
 * Starts the service without read models, so that it builds them out of the whole log, and takes its resident memory
 * when it has.
 */
export const memory: Benchmark = async ({ size }) => {
  const { many, few } = logSizes(size)
  const rounds = { full: 3, quick: 1, smallest: 1 }[size]
  const large: number[] = []
  const small: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    small.push(await memoryAfterReplay(await folderWith(few)))
    large.push(await memoryAfterReplay(await folderWith(many)))
  }
  return [
    figureOf(
      {
        name: `memory after replaying ${many.toLocaleString('en')} events`,
        against: `after ${few.toLocaleString('en')}`,
        unit: 'MiB more',
        target: { bound: 'at most', value: 64 },
      },
      large.map((mebibytes, round) => mebibytes - (small[round] ?? Number.NaN)),
      [`resident: ${median(large).toFixed(0)} MiB and ${median(small).toFixed(0)} MiB`],
    ),
  ]
}

async function memoryAfterReplay(folder: string): Promise<number> {
  for (const file of ['views.db', 'views.db-wal', 'views.db-shm'])
    rmSync(join(folder, file), { force: true })
  const vigil = await startVigil(folder)
  try {
    await settled(vigil.port)
    await sleep(restMs)
    return residentMebibytes(vigil.pid)
  } finally {
    await vigil.stop()
  }
}

/** As `ps` says. */
export function residentMebibytes(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024
}
