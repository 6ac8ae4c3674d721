/**
 * How long a restart takes until the service is ready, with a long log and up-to-date read models, against an empty
 * store.
 */

import type { Benchmark } from './benchmark.ts'
import { startVigil, temporaryFolder } from './childProcess.ts'
import { figureOf } from './figure.ts'
import { folderWith, logSizes } from './logs.ts'
import { settled } from './readiness.ts'
import { median } from './statistics.ts'

/** Measures from the start of the process to the first answer that it is ready. */
export const restart: Benchmark = async ({ size }) => {
  const { many } = logSizes(size)
  const long = await folderWith(many)
  const empty = temporaryFolder()
  const rounds = { full: 9, quick: 3, smallest: 1 }[size]
  const large: number[] = []
  const small: number[] = []
  // the first start makes what is missing, and brings the read models up to date
  for (let round = -1; round < rounds; round += 1) {
    const ofEmpty = await secondsToReady(empty.path)
    const ofLong = await secondsToReady(long)
    if (round < 0) continue
    small.push(ofEmpty)
    large.push(ofLong)
  }
  empty.remove()
  return [
    figureOf(
      {
        name: `ready after restart with ${many.toLocaleString('en')} events and up-to-date read models`,
        against: 'empty store',
        unit: 's more',
        target: { bound: 'at most', value: 1 },
      },
      large.map((seconds, round) => seconds - (small[round] ?? Number.NaN)),
      [`${median(large).toFixed(2)} s and ${median(small).toFixed(2)} s`],
    ),
  ]
}

async function secondsToReady(folder: string): Promise<number> {
  const begunMs = performance.now()
  const vigil = await startVigil(folder)
  await settled(vigil.port)
  const seconds = (performance.now() - begunMs) / 1000
  await vigil.stop()
  return seconds
}
