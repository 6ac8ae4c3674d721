/** The same evaluation on an account with a very large rulebook, against one that has nothing else. */

import type { Benchmark } from './benchmark.ts'
import { openEmbeddedEventStore } from './built.ts'
import {
  type Helper,
  type Started,
  startHelper,
  startVigil,
  temporaryFolder,
} from './childProcess.ts'
import { figureOf } from './figure.ts'
import { growRulebook } from './growRulebook.ts'
import type { LoadReport } from './loadGenerator.ts'
import { settled } from './readiness.ts'
import { openShop } from './shop.ts'
import { sixtyRules } from './sixtyRules.ts'
import { median, ratios } from './statistics.ts'

const connections = 64
const peopleCount = 5_000
/** Flows of the large account that are evaluated in turn, for the note. */
const severalFlows = 100

interface Running {
  readonly vigil: Started
  readonly token: string
  readonly flow: string
  /** The flows besides. */
  readonly flows: readonly string[]
  readonly remove: () => void
}

/** Measures the same flow of sixty rules on both; each account has a service of its own. */
export const largeAccount: Benchmark = async ({ size }) => {
  const rules = { full: 49_900, quick: 10_000, smallest: 100 }[size]
  const flows = { full: 10_000, quick: 1_000, smallest: 10 }[size]
  const small = await startWith({ rules: 0, flows: 0 })
  const large = await startWith({ rules, flows })
  const load = startHelper('./loadGenerator.ts')
  const durationMs = { full: 10_000, quick: 1_500, smallest: 100 }[size]
  const own: number[] = []
  const reference: number[] = []
  try {
    for (let round = -1; round < { full: 9, quick: 3, smallest: 1 }[size]; round += 1) {
      const ofSmall = await rateOf(load, small, { flows: [small.flow], durationMs })
      const ofLarge = await rateOf(load, large, { flows: [large.flow], durationMs })
      if (round < 0) continue
      reference.push(ofSmall)
      own.push(ofLarge)
    }
    const several = { flows: large.flows.slice(0, severalFlows), durationMs }
    await rateOf(load, large, several)
    const ofSeveral = await rateOf(load, large, several)
    return [
      figureOf(
        {
          name: `same, account with ${rules.toLocaleString('en')} rules and ${flows.toLocaleString('en')} flows`,
          against: 'account with 60 rules and 1 flow',
          unit: 'of its requests/s',
          target: { bound: 'at least', value: 0.95 },
        },
        ratios(own, reference),
        [
          `${median(own).toFixed(0)}/s and ${median(reference).toFixed(0)}/s; ${severalFlows} flows of the large account in turn ${ofSeveral.toFixed(0)}/s`,
        ],
      ),
    ]
  } finally {
    await load.stop()
    for (const { vigil, remove } of [small, large]) {
      await vigil.stop()
      remove()
    }
  }
}

async function startWith(size: {
  readonly rules: number
  readonly flows: number
}): Promise<Running> {
  const folder = temporaryFolder()
  const first = await startVigil(folder.path)
  const { account, token, flow } = await openShop(first.port, sixtyRules)
  await first.stop()
  const store = await openEmbeddedEventStore({ folder: folder.path })
  const flows = await growRulebook({ store, account, conditions: sixtyRules, ...size })
  await store.close()
  const vigil = await startVigil(folder.path)
  await settled(vigil.port)
  return { vigil, token, flow, flows, remove: folder.remove }
}

async function rateOf(
  load: Helper,
  { vigil, token }: Running,
  { flows, durationMs }: { readonly flows: readonly string[]; readonly durationMs: number },
): Promise<number> {
  const order = { port: vigil.port, token, flows, connections, peopleCount, durationMs }
  const { requestsPerSecond } = await load.ask<LoadReport>(order)
  // the other side is not to share the machine with projections of this one
  await settled(vigil.port)
  return requestsPerSecond
}
