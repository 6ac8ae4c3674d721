/**
 * Every evaluation of a log replayed (opened, computed again, compared), against parsing frozen texts of as many in
 * memory.
 */

import type { Benchmark } from './benchmark.ts'
import { replayFolder } from './built.ts'
import { figureOf } from './figure.ts'
import { frozenTexts } from './frozenEvaluations.ts'
import { folderWith, logSizes } from './logs.ts'
import { median, ratios } from './statistics.ts'

/** Events whose texts are parsed in a round of the reference. */
const parsedEvents = { full: 20_000, quick: 2_000, smallest: 200 }

/** Measures it on one thread and on two. */
export const replayAll: Benchmark = async ({ size }) => {
  const { many } = logSizes(size)
  const folder = await folderWith(many)
  const parse = parsing(parsedEvents[size])
  const rates = { parsed: [] as number[], one: [] as number[], two: [] as number[] }
  const grown: number[] = []
  parse()
  for (let round = 0; round < 3; round += 1) {
    rates.parsed.push(parse())
    rates.one.push((await replaying(folder, many, 1)).rate)
    const { rate, grownMebibytes } = await replaying(folder, many, 2)
    rates.two.push(rate)
    grown.push(grownMebibytes)
  }
  const { parsed, one, two } = rates
  const name = `${many.toLocaleString('en')} evaluations replayed by \`replay --all\``
  return [
    figureOf(
      {
        name: `${name}, one thread`,
        against: '`JSON.parse` of the frozen texts in memory',
        unit: 'of its events/s',
        target: { bound: 'at least', value: 0.12 },
      },
      ratios(one, parsed),
      [`Vigil ${median(one).toFixed(0)}/s, JSON.parse ${median(parsed).toFixed(0)}/s`],
    ),
    figureOf(
      {
        name: `${name}, two threads`,
        against: 'one thread',
        unit: 'times its evaluations/s',
        target: { bound: 'at least', value: 1.8 },
      },
      ratios(two, one),
      [`two threads ${median(two).toFixed(0)}/s, one ${median(one).toFixed(0)}/s`],
    ),
    figureOf(
      {
        name: `${name}, two threads, memory at the end`,
        against: 'when a fifth was done',
        unit: 'MiB more',
        target: { bound: 'at most', value: 64 },
      },
      grown,
    ),
  ]
}

/** What parses the texts of so many events, and answers how many a second. */
function parsing(events: number): () => number {
  const texts = frozenTexts(events)
  return () => {
    const begunMs = performance.now()
    for (const text of texts) JSON.parse(text)
    return (events * 1000) / (performance.now() - begunMs)
  }
}

interface Replaying {
  /** Evaluations a second, with the start of the threads. */
  readonly rate: number
  /** Resident memory of the process at the end, over that when a fifth of the log was replayed. */
  readonly grownMebibytes: number
}

/** Throws when an evaluation is not what its record says. */
async function replaying(folder: string, evaluations: number, threads: number): Promise<Replaying> {
  const begunMs = performance.now()
  let warm: number | undefined
  const { match, mismatches } = await replayFolder({
    dataFolder: folder,
    masterKey: undefined,
    threads,
    signal: new AbortController().signal,
    onProgress: ({ position, end }) => {
      if (position * 5 >= end) warm ??= process.memoryUsage.rss()
    },
  })
  const rate = (match * 1000) / (performance.now() - begunMs)
  const now = process.memoryUsage.rss()
  if (match === evaluations) return { rate, grownMebibytes: (now - (warm ?? now)) / 1024 ** 2 }
  throw new Error(
    `${match} of ${evaluations} evaluations are the same: ${JSON.stringify(mismatches[0])}`,
  )
}
