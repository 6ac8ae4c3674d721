/** A whole evaluation over HTTP: checked, scored, sealed, durable, projected; against plain servers that only answer. */

import type { Benchmark } from './benchmark.ts'
import { type Helper, startHelper, startVigil, temporaryFolder } from './childProcess.ts'
import { connections, evalFigures, type Loaded, type Measured, peopleCount } from './evalFigures.ts'
import type { LoadOrder, LoadReport } from './loadGenerator.ts'
import { processorTimeOf, spentBetween } from './processorTime.ts'
import { lagOf, settled } from './readiness.ts'
import type { ReferenceOrder } from './referenceServer.ts'
import { openShop, type Shop } from './shop.ts'
import { sixtyRules } from './sixtyRules.ts'

/** People beyond those that everybody has seen before, made beforehand for each second: more than are evaluated in it. */
const newPeoplePerSecond = 8_000

/** Measures requests and processor time, the slowest hundredth, and how far the projections are behind when a round ends. */
export const evalEndpoint: Benchmark = async ({ quick }) => {
  const folder = temporaryFolder()
  const vigil = await startVigil(folder.path)
  const memory = startHelper('./referenceServer.ts')
  const stringified = startHelper('./referenceServer.ts')
  const load = startHelper('./loadGenerator.ts')
  try {
    const shop = await openShop(vigil.port, sixtyRules)
    const ours = { port: vigil.port, pid: vigil.pid }
    const asked: Asked = { load, shop, durationMs: quick ? 2_500 : 10_000, ours }
    const warm = await run({ ...asked, durationMs: quick ? 3_000 : 10_000 }, ours)
    const order = { token: shop.token, body: bodyOf(warm.sample) }
    const references = {
      memory: await started(memory, order),
      stringified: await started(stringified, { ...order, stringifies: true }),
    }
    for (const reference of Object.values(references)) {
      await run({ ...asked, durationMs: quick ? 1_000 : 5_000 }, reference)
    }
    return evalFigures(await rounds({ ...asked, references }, quick ? 3 : 9))
  } finally {
    for (const helper of [load, memory, stringified]) await helper.stop()
    await vigil.stop()
    folder.remove()
  }
}

/** A server that is asked. */
interface Server {
  readonly port: number
  readonly pid: number
}

interface Asked {
  readonly load: Helper
  readonly shop: Shop
  readonly durationMs: number
  readonly ours: Server
}

async function started(helper: Helper, order: ReferenceOrder): Promise<Server> {
  return { port: await helper.ask<number>(order), pid: helper.pid }
}

/** All of them in turn, so many times. */
async function rounds(
  asked: Asked & { readonly references: Readonly<Record<'memory' | 'stringified', Server>> },
  count: number,
): Promise<Measured> {
  const { ours, references, durationMs } = asked
  const measured = { memory: [], stringified: [], known: [], fresh: [] } as Record<
    keyof Measured,
    Loaded[]
  >
  const many = Math.ceil((newPeoplePerSecond * durationMs) / 1_000)
  let from = peopleCount
  for (let round = 0; round < count; round += 1) {
    await settled(ours.port)
    measured.memory.push({ ...(await run(asked, references.memory)), lagSeconds: 0 })
    measured.stringified.push({ ...(await run(asked, references.stringified)), lagSeconds: 0 })
    const known = await run(asked, ours)
    measured.known.push({ ...known, lagSeconds: await lagOf(ours.port) })
    await settled(ours.port)
    const fresh = await run(asked, ours, { from, isEachNew: true, peopleCount: many })
    measured.fresh.push({ ...fresh, lagSeconds: await lagOf(ours.port) })
    from += Math.max(many, fresh.requests)
  }
  return measured
}

/** Loads the server for a while; of the same people again and again unless others are given. */
async function run(
  { load, shop: { token, flow }, durationMs }: Asked,
  { port, pid }: Server,
  people: Pick<LoadOrder, 'from' | 'isEachNew' | 'peopleCount'> = { peopleCount },
): Promise<Omit<Loaded, 'lagSeconds'>> {
  const before = processorTimeOf(pid)
  const order: LoadOrder = { token, flows: [flow], connections, port, durationMs, ...people }
  const report = await load.ask<LoadReport>(order)
  const spent = spentBetween(before, processorTimeOf(pid), pid)
  return { ...report, processorUs: spent.map((us) => us / report.requests) }
}

function bodyOf(answer: Uint8Array): Buffer {
  const whole = Buffer.from(answer)
  return whole.subarray(whole.indexOf('\r\n\r\n') + 4)
}
