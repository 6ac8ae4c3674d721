/** A whole evaluation over HTTP: checked, scored, sealed, durable, projected; against plain servers that only answer. */

import type { Benchmark } from './benchmark.ts'
import { type Helper, startHelper, startVigil, temporaryFolder } from './childProcess.ts'
import { evalFigures, fewConnections, type Loaded, type Measured } from './evalFigures.ts'
import { type Asked, bodyOf, loadEvals, openNewPeople, type Server } from './evalLoad.ts'
import { lagOf, settled } from './readiness.ts'
import type { ReferenceOrder } from './referenceServer.ts'
import { openShop } from './shop.ts'
import { sixtyRules } from './sixtyRules.ts'

/** Measures requests and processor time, the slowest hundredth, and how far the projections are behind when a round ends. */
export const evalEndpoint: Benchmark = async ({ size }) => {
  const folder = temporaryFolder()
  const vigil = await startVigil(folder.path)
  const memory = startHelper('./referenceServer.ts')
  const stringified = startHelper('./referenceServer.ts')
  const load = startHelper('./loadGenerator.ts')
  try {
    const shop = await openShop(vigil.port, sixtyRules)
    const asked: Asked = {
      load,
      shop,
      durationMs: { full: 10_000, quick: 2_500, smallest: 100 }[size],
    }
    const warm = await loadEvals(
      { ...asked, durationMs: { full: 10_000, quick: 3_000, smallest: 100 }[size] },
      vigil,
    )
    const order = { token: shop.token, body: bodyOf(warm.sample) }
    const references = {
      memory: await started(memory, order),
      stringified: await started(stringified, { ...order, stringifies: true }),
    }
    for (const reference of Object.values(references)) {
      await loadEvals(
        { ...asked, durationMs: { full: 5_000, quick: 1_000, smallest: 100 }[size] },
        reference,
      )
    }
    return evalFigures(
      await rounds({ ...asked, ours: vigil, references }, { full: 9, quick: 3, smallest: 1 }[size]),
    )
  } finally {
    for (const helper of [load, memory, stringified]) await helper.stop()
    await vigil.stop()
    folder.remove()
  }
}

async function started(helper: Helper, order: ReferenceOrder): Promise<Server> {
  return { port: await helper.ask<number>(order), pid: helper.pid }
}

interface Turns extends Asked {
  readonly ours: Server
  readonly references: Readonly<Record<'memory' | 'stringified', Server>>
}

/** All of them in turn, so many times. */
async function rounds(turns: Turns, count: number): Promise<Measured> {
  const { ours, references } = turns
  const few = { ...turns, durationMs: turns.durationMs / 2, connections: fewConnections }
  const measured: Record<keyof Measured, Loaded[]> = {
    memory: [],
    stringified: [],
    known: [],
    fresh: [],
    memoryOfFew: [],
    knownOfFew: [],
  }
  const newPeople = openNewPeople(turns.durationMs)
  const caughtUp = { lagSeconds: 0 }
  for (let round = 0; round < count; round += 1) {
    await settled(ours.port)
    measured.memory.push({ ...(await loadEvals(turns, references.memory)), ...caughtUp })
    measured.stringified.push({ ...(await loadEvals(turns, references.stringified)), ...caughtUp })
    measured.memoryOfFew.push({ ...(await loadEvals(few, references.memory)), ...caughtUp })
    measured.knownOfFew.push(await ofOurs(few, ours))
    measured.known.push(await ofOurs(turns, ours))
    const fresh = await ofOurs(turns, ours, newPeople.next())
    newPeople.taken(fresh.requests)
    measured.fresh.push(fresh)
  }
  return measured
}

/** Loads the service, and asks how far its projections are behind; then they catch up. */
async function ofOurs(...load: Parameters<typeof loadEvals>): Promise<Loaded> {
  const [, { port }] = load
  const loaded = await loadEvals(...load)
  const lagSeconds = await lagOf(port)
  await settled(port)
  return { ...loaded, lagSeconds }
}
