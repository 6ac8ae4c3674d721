/** One fault run from its start to its verdict. */

import { setTimeout as sleep } from 'node:timers/promises'
import { openRunningShop, type RunningShop } from '../support/runningShop.ts'
import { brokenAnswers, examineStores, unreadyInstances } from './examine.ts'
import type { FaultOptions } from './faultOptions.ts'
import { type Load, startLoad } from './load.ts'
import { chooseMischief } from './mischief.ts'
import { type SeededChance, seededChance } from './seededChance.ts'
import { openWorld, type World } from './world.ts'

export interface Outcome {
  /** Sentences; none when everything held. */
  readonly problems: readonly string[]
  readonly summary: string
}

/** After a round somebody must be served again within so long. */
const servedMs = 45_000
const clients = 6
/** Between two rounds, for work that is under way when the next thing goes wrong. */
const calmMs = 1_000

/** Rejects only when the run itself cannot be made. */
export async function run(options: FaultOptions, say: (text: string) => void): Promise<Outcome> {
  const chance = seededChance(options.seed)
  const world = await openWorld(options)
  say(`Seed ${options.seed}: ${world.text}.`)
  try {
    const [first, ...others] = world.instances
    await first?.start()
    const running = first?.running()
    if (!running) throw new Error('there is no instance')
    const shop = await openRunningShop(running)
    await Promise.all(others.map((instance) => instance.start()))
    const load = startLoad({
      instances: world.instances,
      shop,
      clients,
      chance: seededChance(options.seed + 1),
    })
    const problems = await makeRounds({ options, world, load, chance, say })
    return await judge({ world, shop, load, problems })
  } finally {
    await world.close()
  }
}

interface Rounds {
  readonly options: FaultOptions
  readonly world: World
  readonly load: Load
  readonly chance: SeededChance
  readonly say: (text: string) => void
}

async function makeRounds({ options, world, load, chance, say }: Rounds): Promise<string[]> {
  const problems: string[] = []
  const untilMs = performance.now() + options.minutes * 60_000
  for (let round = 1; round <= options.rounds && performance.now() < untilMs; round += 1) {
    const mischiefs = Array.from({ length: chance.pick([1, 1, 2]) }, () =>
      chooseMischief(world, chance),
    )
    say(`${round}: ${mischiefs.map(({ name }) => name).join(', and ')}`)
    await Promise.all(mischiefs.map(({ work }) => work()))
    problems.push(...(await startAgain(world)), ...(await isServed(load)))
    if (problems.length > 0 || load.faults.length > 0 || deathsOf(world).length > 0) break
    await sleep(calmMs)
  }
  return problems
}

function deathsOf({ instances }: World): readonly string[] {
  return instances.flatMap(({ deaths }) => deaths)
}

/** Those that were killed. */
async function startAgain({ instances }: World): Promise<readonly string[]> {
  const started = await Promise.allSettled(instances.map((instance) => instance.start()))
  return started.flatMap((result, index) =>
    result.status === 'fulfilled'
      ? []
      : [`${instances[index]?.name} does not start again: ${String(result.reason)}`],
  )
}

async function isServed({ acknowledged }: Load): Promise<readonly string[]> {
  const before = acknowledged.length
  const untilMs = performance.now() + servedMs
  while (performance.now() < untilMs) {
    if (acknowledged.length > before) return []
    await sleep(50)
  }
  return [`nothing was acknowledged within ${servedMs} ms after everything was well again`]
}

interface Judged {
  readonly world: World
  readonly shop: RunningShop
  readonly load: Load
  readonly problems: readonly string[]
}

async function judge({ world, shop, load, problems }: Judged): Promise<Outcome> {
  const all = [...problems]
  await load.stop()
  all.push(...load.faults, ...(await unreadyInstances(world.instances)))
  for (const instance of world.instances) {
    all.push(...(await brokenAnswers(instance, shop, load.acknowledged)))
  }
  for (const instance of world.instances) {
    const code = await instance.stop()
    if (code !== 0) all.push(`${instance.name} ended with ${code} when it was told to stop`)
  }
  all.push(...deathsOf(world))
  const examined = await examineStores(world, load)
  const { acknowledged, unknown } = load
  return {
    problems: [...all, ...examined.problems],
    summary: `${acknowledged.length} writes acknowledged, ${unknown.length} of unknown outcome; ${examined.events} events, ${examined.documents} documents`,
  }
}
