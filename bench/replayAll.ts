/** Every evaluation of a log replayed (opened, computed again, compared), against parsing frozen texts of as many in memory. */

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
  parse()
  for (let round = 0; round < 3; round += 1) {
    rates.parsed.push(parse())
    rates.one.push(await replaying(folder, many, 1))
    rates.two.push(await replaying(folder, many, 2))
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
        target: { bound: 'at least', value: 1.7 },
      },
      ratios(two, one),
      [`two threads ${median(two).toFixed(0)}/s, one ${median(one).toFixed(0)}/s`],
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

/** Evaluations a second, with the start of the threads. Throws when one of them is not what its record says. */
async function replaying(folder: string, evaluations: number, threads: number): Promise<number> {
  const begunMs = performance.now()
  const { match, mismatches } = await replayFolder({
    dataFolder: folder,
    masterKey: undefined,
    threads,
    signal: new AbortController().signal,
    onProgress: () => undefined,
  })
  const rate = (match * 1000) / (performance.now() - begunMs)
  if (match === evaluations) return rate
  throw new Error(
    `${match} of ${evaluations} evaluations are the same: ${JSON.stringify(mismatches[0])}`,
  )
}
