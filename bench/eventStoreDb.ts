/**
 * Evaluations over HTTP with the log in EventStoreDB, against what its client appends when nobody does anything else.
 */

import type { Benchmark } from './benchmark.ts'
import { startHelper, startVigil, temporaryFolder } from './childProcess.ts'
import { connections, peopleCount } from './evalFigures.ts'
import { type Asked, loadEvals } from './evalLoad.ts'
import type { ClientOrder } from './eventStoreDbClient.ts'
import { type Figure, figureOf } from './figure.ts'
import { folderWith, logSizes } from './logs.ts'
import { settled } from './readiness.ts'
import { openShop } from './shop.ts'
import { sixtyRules } from './sixtyRules.ts'
import { median, ratios } from './statistics.ts'

interface Rates {
  readonly ours: readonly number[]
  readonly theirs: readonly number[]
}

/**
 * Each has a fake of its own, and they take turns: what a server does to be durable is in neither. Nothing without
 * MONGODB_URL, which names the server of read models and keys, a database that may be written to.
 */
export const eventStoreDb: Benchmark = async ({ size }) => {
  const { MONGODB_URL } = process.env
  if (!MONGODB_URL) return { notRun: 'MONGODB_URL names no MongoDB for read models and keys' }
  const events = await folderWith(logSizes(size).few)
  const folder = temporaryFolder()
  const fakes = [startHelper('./fakeEventStoreDb.ts'), startHelper('./fakeEventStoreDb.ts')]
  const [oursUrl = '', theirsUrl = ''] = await Promise.all(
    fakes.map((fake) => fake.ask<string>({})),
  )
  const client = startHelper('./eventStoreDbClient.ts')
  const load = startHelper('./loadGenerator.ts')
  const vigil = await startVigil(folder.path, [], { EVENTSTORE_URL: oursUrl, MONGODB_URL })
  try {
    const shop = await openShop(vigil.port, sixtyRules)
    const roundMs = { full: 5_000, quick: 2_500, smallest: 100 }[size]
    const asked: Asked = { load, shop, durationMs: roundMs }
    const order: ClientOrder = { url: theirsUrl, folder: events, callers: connections, roundMs }
    const ours: number[] = []
    const theirs: number[] = []
    for (let round = -1; round < { full: 9, quick: 3, smallest: 1 }[size]; round += 1) {
      const ofTheirs = await client.ask<number>(order)
      const { requestsPerSecond } = await loadEvals(asked, vigil)
      await settled(vigil.port)
      if (round < 0) continue
      theirs.push(ofTheirs)
      ours.push(requestsPerSecond)
    }
    return [figure({ ours, theirs })]
  } finally {
    await vigil.stop()
    for (const helper of [load, client, ...fakes]) await helper.stop()
    folder.remove()
  }
}

function figure({ ours, theirs }: Rates): Figure {
  return figureOf(
    {
      name: `POST /v2/watch/eval, ${connections} connections, 60 rules, sealing on, log in a fake EventStoreDB, ${peopleCount.toLocaleString('en')} people`,
      against: `the client of EventStoreDB: as long events to a server of its own, by ${connections} callers, without HTTP`,
      unit: 'of its appends/s',
      target: { bound: 'at least', value: 0.6 },
    },
    ratios(ours, theirs),
    [`Vigil ${median(ours).toFixed(0)}/s, client ${median(theirs).toFixed(0)}/s`],
  )
}
