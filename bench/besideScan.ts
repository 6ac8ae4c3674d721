/** Evaluations asked of the service while it scans or runs a backtest, and with and without counting them. */

import { cpSync } from 'node:fs'
import { type AnalysedLog, newest, openLog, questions, readAnswer } from './analysedLog.ts'
import type { Size } from './benchmark.ts'
import { type Helper, startHelper, startVigil, temporaryFolder } from './childProcess.ts'
import { type Asked, loadEvals, openNewPeople } from './evalLoad.ts'
import { type Figure, figureOf } from './figure.ts'
import { folderWith, logSizes } from './logs.ts'
import { settled } from './readiness.ts'
import { openShop } from './shop.ts'
import { sixtyRules } from './sixtyRules.ts'
import { median, ratios } from './statistics.ts'

const durations = { full: 10_000, quick: 2_500, smallest: 300 }
const roundsOf = { full: 5, quick: 2, smallest: 1 }

/** Half of what the service can take, asked in a steady pace, while the whole log is scanned again and again. */
export async function besideScans(size: Size): Promise<readonly Figure[]> {
  const { few } = logSizes(size)
  // a copy, since other parts count what is in theirs
  const folder = temporaryFolder()
  cpSync(await folderWith(few), folder.path, { recursive: true })
  const log = await openLog(folder.path)
  const load = startHelper('./loadGenerator.ts')
  try {
    const asked: Asked = { load, shop: log, durationMs: durations[size] }
    const perSecond = (await loadEvals(asked, log.vigil)).requestsPerSecond / 2
    const range = await newest(log, few, few)
    const kinds = ['opened', 'backtest'] as const
    const rates = { alone: [] as number[], opened: [] as number[], backtest: [] as number[] }
    for (let round = 0; round < roundsOf[size]; round += 1) {
      await settled(log.vigil.port)
      rates.alone.push((await loadEvals(asked, log.vigil, { perSecond })).requestsPerSecond)
      for (const kind of kinds) {
        const end = askOn(log, kind, range)
        rates[kind].push((await loadEvals(asked, log.vigil, { perSecond })).requestsPerSecond)
        await end()
      }
    }
    return kinds.map((kind) =>
      figureOf(
        {
          name: `POST /v2/watch/eval at half load while a ${kind === 'opened' ? 'scan with opening' : 'backtest'} runs`,
          against: 'without',
          unit: 'of its requests/s',
          target: { bound: 'at least', value: 0.9 },
        },
        ratios(rates[kind], rates.alone),
        [`${median(rates[kind]).toFixed(0)}/s and ${median(rates.alone).toFixed(0)}/s`],
      ),
    )
  } finally {
    await load.stop()
    await log.vigil.stop()
    folder.remove()
  }
}

/** Asks it again and again until it is ended, which breaks the last one off. */
function askOn(log: AnalysedLog, kind: 'opened' | 'backtest', range: string): () => Promise<void> {
  const over = new AbortController()
  const run = async (): Promise<void> => {
    while (!over.signal.aborted) await readAnswer(log, questions[kind](log, range), over.signal)
  }
  const done = run().catch((error: unknown) => {
    if (!over.signal.aborted) throw error
  })
  return () => {
    over.abort()
    return done
  }
}

/** Two services side by side, of which one does not count; each evaluates people who are new to it. */
export async function counting(size: Size): Promise<Figure> {
  const load = startHelper('./loadGenerator.ts')
  const rates = { counting: [] as number[], without: [] as number[] }
  const sides = [
    { name: 'counting', flags: [] },
    { name: 'without', flags: ['--import', new URL('./withoutCounts.js', import.meta.url).href] },
  ] as const
  const opened = []
  try {
    for (const { name, flags } of sides)
      opened.push({ name, ...(await openSide(load, size, flags)) })
    for (let round = -1; round < { full: 9, quick: 3, smallest: 1 }[size]; round += 1) {
      for (const { name, asked, vigil, people } of opened) {
        const { requests, requestsPerSecond } = await loadEvals(asked, vigil, people.next())
        people.taken(requests)
        await settled(vigil.port)
        if (round >= 0) rates[name].push(requestsPerSecond)
      }
    }
  } finally {
    await load.stop()
    for (const { vigil, folder } of opened) {
      await vigil.stop()
      folder.remove()
    }
  }
  return figureOf(
    {
      name: 'POST /v2/watch/eval with the projection of counts, every person new',
      against: 'without it',
      unit: 'of its requests/s',
      target: { bound: 'at least', value: 0.97 },
    },
    ratios(rates.counting, rates.without),
    [`${median(rates.counting).toFixed(0)}/s and ${median(rates.without).toFixed(0)}/s`],
  )
}

async function openSide(load: Helper, size: Size, flags: readonly string[]) {
  const folder = temporaryFolder()
  const vigil = await startVigil(folder.path, flags)
  const durationMs = durations[size]
  const asked: Asked = { load, shop: await openShop(vigil.port, sixtyRules), durationMs }
  return { folder, vigil, asked, people: openNewPeople(durationMs) }
}
