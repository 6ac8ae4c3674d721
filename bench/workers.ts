/** What a second worker brings: the same evaluations over HTTP, answered by one process and by two. */

import type { Benchmark } from './benchmark.ts'
import { startHelper, startVigil, temporaryFolder } from './childProcess.ts'
import { connections, peopleCount } from './evalFigures.ts'
import { loadEvals, openNewPeople, type People, type Server } from './evalLoad.ts'
import { type Figure, figureOf } from './figure.ts'
import { settled } from './readiness.ts'
import { openShop, type Shop } from './shop.ts'
import { sixtyRules } from './sixtyRules.ts'
import { median, ratios } from './statistics.ts'

const counts = [1, 2] as const

interface Loaded {
  readonly rps: number
  readonly processorUs: number
}

/** Measures requests a second of both, people known and new. */
export const workers: Benchmark = async ({ size }) => {
  const load = startHelper('./loadGenerator.ts')
  const started = await Promise.all(counts.map(open))
  const durationMs = { full: 10_000, quick: 3_000, smallest: 100 }[size]
  const newPeople = openNewPeople(durationMs)
  const ask = async ({ server, shop }: Opened, people?: People): Promise<Loaded> => {
    const report = await loadEvals({ load, shop, durationMs }, server, people)
    await settled(server.port)
    return { rps: report.requestsPerSecond, processorUs: sum(report.processorUs) }
  }
  const known: Loaded[][] = [[], []]
  const fresh: Loaded[][] = [[], []]
  try {
    for (const opened of started) await ask(opened)
    for (let round = 0; round < { full: 9, quick: 3, smallest: 1 }[size]; round += 1) {
      for (const [index, opened] of started.entries()) known[index]?.push(await ask(opened))
      for (const [index, opened] of started.entries()) {
        fresh[index]?.push(await ask(opened, newPeople.next()))
      }
      newPeople.taken(0)
    }
  } finally {
    await load.stop()
    for (const { close } of started) await close()
  }
  return [
    figure(`${connections} connections, ${peopleCount} people`, known),
    figure('same, every person new', fresh),
  ]
}

interface Opened {
  readonly server: Server
  readonly shop: Shop
  readonly close: () => Promise<void>
}

async function open(count: number): Promise<Opened> {
  const folder = temporaryFolder()
  const vigil = await startVigil(folder.path, [], { VIGIL_WORKERS: String(count) })
  const close = async (): Promise<void> => {
    await vigil.stop()
    folder.remove()
  }
  return { server: vigil, shop: await openShop(vigil.port, sixtyRules), close }
}

function figure(name: string, [one = [], two = []]: readonly Loaded[][]): Figure {
  const rps = (loaded: readonly Loaded[]): number[] => loaded.map((each) => each.rps)
  const us = (loaded: readonly Loaded[]): string =>
    median(loaded.map(({ processorUs }) => processorUs)).toFixed(0)
  return figureOf(
    {
      name: `POST /v2/watch/eval, two workers, ${name}`,
      against: 'one worker',
      unit: 'of its requests/s',
      target: { bound: 'at least', value: 1.5 },
    },
    ratios(rps(two), rps(one)),
    [
      `two ${median(rps(two)).toFixed(0)}/s, one ${median(rps(one)).toFixed(0)}/s`,
      `processor time of all processes for each: ${us(two)} and ${us(one)} µs`,
    ],
  )
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0)
}
