/** Evaluations a second of scans and backtests, against reading the same log again. */

import {
  type AnalysedLog,
  evaluationsOf,
  newest,
  openLog,
  questions,
  readAnswer,
} from './analysedLog.ts'
import type { Size } from './benchmark.ts'
import { replayFolder } from './built.ts'
import { type Figure, figureOf } from './figure.ts'
import { openReplay } from './replay.ts'
import { median, ratios } from './statistics.ts'

interface Scanned {
  readonly folder: string
  /** Evaluations of the log, and those that are scanned. */
  readonly many: number
  readonly count: number
  readonly rounds: number
}

const asked = ['scan', 'opened', 'backtest', 'reweigh'] as const
type Asked = (typeof asked)[number]
type Reference = 'sealed' | 'openedReplay' | 'replayAll'
type Rates = Record<Asked | Reference, number[]>

/** Each scanned and replayed in turn; the service is stopped while its folder is read by the bench. */
export async function scanFigures(
  folder: string,
  size: Size,
  many: number,
): Promise<readonly Figure[]> {
  const count = { full: 100_000, quick: many, smallest: many }[size]
  const rounds = { full: 3, quick: 2, smallest: 1 }[size]
  const rates: Rates = {
    ...{ scan: [], opened: [], backtest: [], reweigh: [] },
    ...{ sealed: [], openedReplay: [], replayAll: [] },
  }
  for (let round = 0; round < rounds; round += 1) {
    await measureReplays({ folder, many, count, rounds }, rates)
    const log = await openLog(folder)
    try {
      for (const kind of asked) rates[kind].push(await measureScan(log, kind, { many, count }))
    } finally {
      await log.vigil.stop()
    }
  }
  return listFigures(rates, count)
}

async function measureReplays({ folder, count }: Scanned, rates: Rates): Promise<void> {
  const log = await openReplay(folder, count)
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const begunMs = performance.now()
    await work()
    return (count * 1_000) / (performance.now() - begunMs)
  }
  // a first time, which does not count
  await log.sealed()
  rates.sealed.push(await timed(log.sealed))
  rates.openedReplay.push(await timed(log.opened))
  await log.close()
  const replayed = () =>
    replayFolder({
      ...{ dataFolder: folder, masterKey: undefined, threads: 1, after: log.head - count },
      signal: new AbortController().signal,
      onProgress: () => undefined,
    })
  rates.replayAll.push(await timed(replayed))
}

/** A fifth first, which does not count. */
async function measureScan(
  log: AnalysedLog,
  kind: Asked,
  { many, count }: Pick<Scanned, 'many' | 'count'>,
): Promise<number> {
  await readAnswer(log, questions[kind](log, await newest(log, count / 5, many)))
  const question = questions[kind](log, await newest(log, count, many))
  const begunMs = performance.now()
  const evaluations = evaluationsOf(await readAnswer(log, question))
  if (evaluations === 0) throw new Error(`nothing was scanned by ${question.path}`)
  return (evaluations * 1_000) / (performance.now() - begunMs)
}

function listFigures(rates: Rates, count: number): readonly Figure[] {
  const of = count.toLocaleString('en')
  const figure = (name: string, own: Asked, [other, against]: readonly [keyof Rates, string]) =>
    figureOf(
      {
        name: `${name}, ${of} evaluations of 60 rules`,
        against,
        unit: 'of its evaluations/s',
        target: { bound: 'at least', value: 0.8 },
      },
      ratios(rates[own], rates[other]),
      [`${median(rates[own]).toFixed(0)}/s and ${median(rates[other]).toFixed(0)}/s`],
    )
  return [
    figure('scan without opening', 'scan', ['sealed', 'replay of the same, sealed']),
    figure('scan with opening, grouped by a name', 'opened', [
      'openedReplay',
      'replay of the same, opened',
    ]),
    figure('backtest of a recipe of 20 rules, the flow of today beside it', 'backtest', [
      'replayAll',
      '`replay --all`, one thread',
    ]),
    figure('other weights of a recipe', 'reweigh', ['scan', 'the scan without opening']),
  ]
}
