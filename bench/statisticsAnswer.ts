/** Statistics of ninety days, against a plain server that answers the same bytes. */

import { openLog } from './analysedLog.ts'
import type { Size } from './benchmark.ts'
import type { BytesOrder } from './bytesServer.ts'
import { startHelper, temporaryFolder } from './childProcess.ts'
import { bodyOf } from './evalLoad.ts'
import { type Figure, figureOf } from './figure.ts'
import type { LoadReport, RequestsOrder } from './loadGenerator.ts'
import { median, ratios } from './statistics.ts'
import type { LogOrder } from './writeLog.ts'

const connections = 16
/** With the week before, and more than an evaluation an hour. */
const days = 98
const evaluations = { full: 10_000, quick: 4_000, smallest: 300 }

/** Measures answers per second by day in UTC, which are read as days, and in a zone, of which hours are summed up. */
export async function statisticsAnswers(size: Size): Promise<readonly Figure[]> {
  const folder = temporaryFolder()
  const writer = startHelper('./writeLog.ts')
  const order = { folder: folder.path, evaluations: evaluations[size], days } satisfies LogOrder
  await writer.ask<boolean>(order)
  await writer.stop()
  const load = startHelper('./loadGenerator.ts')
  const log = await openLog(folder.path)
  try {
    const figures: Figure[] = []
    for (const zone of ['UTC', 'Europe/Paris']) {
      figures.push(await measure({ log, load, zone, size }))
    }
    return figures
  } finally {
    await load.stop()
    await log.vigil.stop()
    folder.remove()
  }
}

interface Measured {
  readonly log: Awaited<ReturnType<typeof openLog>>
  readonly load: ReturnType<typeof startHelper>
  readonly zone: string
  readonly size: Size
}

async function measure({ log, load, zone, size }: Measured): Promise<Figure> {
  const from = new Date(Date.now() - 90 * 24 * 3_600_000).toISOString()
  const path = `/v2/watch/statistics?flow_id=${log.flow}&from=${from}&zone=${zone}`
  const order: Omit<RequestsOrder, 'port'> = {
    ...{ connections, durationMs: { full: 5_000, quick: 1_500, smallest: 100 }[size] },
    requests: [
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${log.token}\r\n\r\n`,
    ],
  }
  const ask = (port: number) => load.ask<LoadReport>({ ...order, port })
  const page = bodyOf((await ask(log.vigil.port)).sample)
  const plain = startHelper('./bytesServer.ts')
  const ours: number[] = []
  const theirs: number[] = []
  try {
    const port = await plain.ask<number>({ body: page } satisfies BytesOrder)
    await ask(port)
    for (let round = 0; round < { full: 7, quick: 3, smallest: 1 }[size]; round += 1) {
      theirs.push((await ask(port)).requestsPerSecond)
      ours.push((await ask(log.vigil.port)).requestsPerSecond)
    }
  } finally {
    await plain.stop()
  }
  return figureOf(
    {
      name: `GET /v2/watch/statistics of 90 days of one flow by day, ${zone}, ${connections} connections`,
      against: 'bare Koa, answering the same bytes from memory',
      unit: 'of its requests/s',
      target: { bound: 'at least', value: 0.3 },
    },
    ratios(ours, theirs),
    [
      `Vigil ${median(ours).toFixed(0)}/s, Koa ${median(theirs).toFixed(0)}/s, ${(page.length / 1024).toFixed(0)} KiB`,
    ],
  )
}
