/** A whole evaluation over HTTP: checked, scored, sealed, durable, projected; against a plain server that only answers. */

import type { Benchmark } from './benchmark.ts'
import { type Helper, startHelper, startVigil, temporaryFolder } from './childProcess.ts'
import { type Figure, figureOf } from './figure.ts'
import type { LoadOrder, LoadReport } from './loadGenerator.ts'
import { lagOf, settled } from './readiness.ts'
import type { ReferenceOrder } from './referenceServer.ts'
import { openShop } from './shop.ts'
import { sixtyRules } from './sixtyRules.ts'
import { median, ratios } from './statistics.ts'

const connections = 64
const peopleCount = 5_000
const name = `POST /v2/watch/eval, ${connections} connections, durable, 60 rules, sealing on, embedded store`
const against =
  'Koa with router, body parser, ajv and a token check, answering the same bytes from memory'

/** Measures requests per second, the slowest hundredth, and how far the projections are behind when a round ends. */
export const evalEndpoint: Benchmark = async ({ quick }) => {
  const folder = temporaryFolder()
  const vigil = await startVigil(folder.path)
  const reference = startHelper('./referenceServer.ts')
  const load = startHelper('./loadGenerator.ts')
  try {
    const { token, flow } = await openShop(vigil.port, sixtyRules)
    const order = { token, flows: [flow], connections, peopleCount }
    const warm = await run(load, { ...order, port: vigil.port, durationMs: quick ? 3_000 : 10_000 })
    const body = bodyOf(warm.sample)
    const port = await reference.ask<number>({ token, body } satisfies ReferenceOrder)
    await run(load, { ...order, port, durationMs: quick ? 1_000 : 5_000 })
    const rounds = quick ? 3 : 9
    const durationMs = quick ? 2_500 : 10_000
    const ours: Loaded[] = []
    const theirs: Loaded[] = []
    for (let round = 0; round < rounds; round += 1) {
      await settled(vigil.port)
      theirs.push({ ...(await run(load, { ...order, port, durationMs })), lagSeconds: 0 })
      const report = await run(load, { ...order, port: vigil.port, durationMs })
      ours.push({ ...report, lagSeconds: await lagOf(vigil.port) })
    }
    return figuresOf(ours, theirs)
  } finally {
    await load.stop()
    await reference.stop()
    await vigil.stop()
    folder.remove()
  }
}

interface Loaded extends LoadReport {
  /** Seconds that the projections were behind when the last answer had come. */
  readonly lagSeconds: number
}

function figuresOf(ours: readonly Loaded[], theirs: readonly Loaded[]): readonly Figure[] {
  const rates = (loaded: readonly Loaded[]) => loaded.map((one) => one.requestsPerSecond)
  const slow = (loaded: readonly Loaded[]) => loaded.map((one) => one.p99Ms)
  const lags = ours.map(({ lagSeconds }) => lagSeconds)
  return [
    figureOf(
      { name, against, unit: 'of its requests/s', target: { bound: 'at least', value: 0.6 } },
      ratios(rates(ours), rates(theirs)),
      [`Vigil ${median(rates(ours)).toFixed(0)}/s, Koa ${median(rates(theirs)).toFixed(0)}/s`],
    ),
    figureOf(
      { name: 'same, p99', against, unit: 'times its p99', target: { bound: 'at most', value: 3 } },
      ratios(slow(ours), slow(theirs)),
      [`Vigil ${median(slow(ours)).toFixed(1)} ms, Koa ${median(slow(theirs)).toFixed(1)} ms`],
    ),
    figureOf(
      {
        name: 'same, projections behind at the end of a round',
        against: 'the head of the log',
        unit: 's',
        target: { bound: 'at most', value: 1 },
      },
      lags,
    ),
  ]
}

function run(load: Helper, order: LoadOrder): Promise<LoadReport> {
  return load.ask<LoadReport>(order)
}

function bodyOf(answer: Uint8Array): Buffer {
  const whole = Buffer.from(answer)
  return whole.subarray(whole.indexOf('\r\n\r\n') + 4)
}
