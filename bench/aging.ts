/**
 * Whether a process slows down with what it has done: evaluations over HTTP after very many of them, against its start.
 */

import type { Benchmark } from './benchmark.ts'
import { startHelper, startVigil, temporaryFolder } from './childProcess.ts'
import { connections } from './evalFigures.ts'
import { type Asked, bodyOf, loadEvals, openNewPeople, type Server } from './evalLoad.ts'
import { figureOf } from './figure.ts'
import { settled } from './readiness.ts'
import type { ReferenceOrder } from './referenceServer.ts'
import { openShop } from './shop.ts'
import { sixtyRules } from './sixtyRules.ts'
import { median } from './statistics.ts'

/** Evaluates people that are all new until there are so many evaluations in the log, all by one process. */
export const aging: Benchmark = async ({ size }) => {
  const many = { full: 1_000_000, quick: 50_000, smallest: 300 }[size]
  const folder = temporaryFolder()
  const ours = await startVigil(folder.path)
  const plain = startHelper('./referenceServer.ts')
  const load = startHelper('./loadGenerator.ts')
  try {
    const shop = await openShop(ours.port, sixtyRules)
    const asked: Asked = {
      load,
      shop,
      durationMs: { full: 10_000, quick: 2_500, smallest: 100 }[size],
    }
    const warm = await loadEvals(asked, ours)
    const order: ReferenceOrder = { token: shop.token, body: bodyOf(warm.sample) }
    const reference = { port: await plain.ask<number>(order), pid: plain.pid }
    await loadEvals(asked, reference)
    const rounds = { full: 5, quick: 3, smallest: 1 }[size]
    const before = await ratesOf(asked, { ours, reference }, rounds)
    await evaluateMany(asked, ours, many)
    const after = await ratesOf(asked, { ours, reference }, rounds)
    return [figure({ many, before, after })]
  } finally {
    for (const helper of [load, plain]) await helper.stop()
    await ours.stop()
    folder.remove()
  }
}

interface Rate {
  readonly ours: number
  readonly reference: number
}

/** Both in turn, since the machine may be another one a quarter of an hour later. */
async function ratesOf(
  asked: Asked,
  { ours, reference }: { readonly ours: Server; readonly reference: Server },
  rounds: number,
): Promise<readonly Rate[]> {
  const rates: Rate[] = []
  for (let round = 0; round < rounds; round += 1) {
    await settled(ours.port)
    const ofReference = await loadEvals(asked, reference)
    const ofOurs = await loadEvals(asked, ours)
    rates.push({
      ours: ofOurs.requestsPerSecond,
      reference: ofReference.requestsPerSecond,
    })
  }
  return rates
}

async function evaluateMany(asked: Asked, ours: Server, many: number): Promise<void> {
  const newPeople = openNewPeople(asked.durationMs)
  for (let evaluated = 0; evaluated < many; ) {
    const { requests } = await loadEvals(asked, ours, newPeople.next())
    newPeople.taken(requests)
    evaluated += requests
  }
}

function figure({
  many,
  before,
  after,
}: {
  readonly many: number
  readonly before: readonly Rate[]
  readonly after: readonly Rate[]
}) {
  const shares = (rates: readonly Rate[]) => rates.map(({ ours, reference }) => ours / reference)
  const atFirst = median(shares(before))
  const middle = (rates: readonly Rate[], of: keyof Rate) =>
    `${median(rates.map((rate) => rate[of])).toFixed(0)}/s`
  return figureOf(
    {
      name: `POST /v2/watch/eval after ${many.toLocaleString('en')} evaluations in one process, ${connections} connections, each time over those of Koa that stringifies the answer`,
      against: 'the same at its start',
      unit: 'of its requests/s',
      target: { bound: 'at least', value: 0.95 },
    },
    shares(after).map((share) => share / atFirst),
    [
      `Vigil ${middle(after, 'ours')} and ${middle(before, 'ours')}, Koa ${middle(after, 'reference')} and ${middle(before, 'reference')}`,
    ],
  )
}
