/**
 * A whole evaluation over HTTP: checked, scored, sealed, durable, projected; against a plain server that only answers.
 */

import type { Benchmark } from './benchmark.ts'
import { startHelper, startVigil, temporaryFolder } from './childProcess.ts'
import { evalFigures, type Loaded, type LoadedService, type Measured } from './evalFigures.ts'
import {
  type Asked,
  bodyOf,
  loadEvals,
  openNewPeople,
  type People,
  type Server,
} from './evalLoad.ts'
import { eventLoopDelayMs } from './eventLoopDelay.ts'
import { lagOf, settled } from './readiness.ts'
import type { ReferenceOrder } from './referenceServer.ts'
import { openShop } from './shop.ts'
import { sixtyRules } from './sixtyRules.ts'

/**
 * Measures requests and processor time, the slowest hundredth, and how far the projections are behind when a round
 * ends.
 */
export const evalEndpoint: Benchmark = async ({ size }) => {
  const folder = temporaryFolder()
  const vigil = await startVigil(folder.path, [], { VIGIL_METRICS: 'open' })
  const plain = startHelper('./referenceServer.ts')
  const load = startHelper('./loadGenerator.ts')
  try {
    const shop = await openShop(vigil.port, sixtyRules)
    const asked: Asked = {
      load,
      shop,
      durationMs: { full: 10_000, quick: 2_500, smallest: 100 }[size],
    }
    const warming = { ...asked, durationMs: { full: 15_000, quick: 3_000, smallest: 100 }[size] }
    const { sample } = await loadEvals(warming, vigil)
    const order: ReferenceOrder = { token: shop.token, body: bodyOf(sample) }
    const reference = { port: await plain.ask<number>(order), pid: plain.pid }
    await loadEvals(warming, reference)
    return evalFigures(
      await rounds({ ...asked, ours: vigil, reference }, { full: 9, quick: 3, smallest: 1 }[size]),
    )
  } finally {
    for (const helper of [load, plain]) await helper.stop()
    await vigil.stop()
    folder.remove()
  }
}

interface Turns extends Asked {
  readonly ours: Server
  readonly reference: Server
}

/** Both in turn, so many times. */
async function rounds(turns: Turns, count: number): Promise<Measured> {
  const reference: Loaded[] = []
  const known: LoadedService[] = []
  const fresh: LoadedService[] = []
  const newPeople = openNewPeople(turns.durationMs)
  for (let round = 0; round < count; round += 1) {
    await settled(turns.ours.port)
    reference.push(await loadEvals(turns, turns.reference))
    known.push(await ofOurs(turns))
    const made = await ofOurs(turns, newPeople.next())
    newPeople.taken(made.requests)
    fresh.push(made)
  }
  return { reference, known, fresh }
}

/** Loads the service, and asks how far its projections are behind; then they catch up. */
async function ofOurs(turns: Turns, people?: People): Promise<LoadedService> {
  const { port } = turns.ours
  await eventLoopDelayMs(port, 'p99')
  const loaded = await loadEvals(turns, turns.ours, people)
  const delayMs = await eventLoopDelayMs(port, 'p99')
  const lagSeconds = await lagOf(port)
  await settled(port)
  return { ...loaded, lagSeconds, delayMs }
}
