/** Looks at the stores of a run once nothing is done to them any more, and says what does not hold. */

import { setTimeout as sleep } from 'node:timers/promises'
import { openReadStore } from '../../src/app/startReadModels.ts'
import type { EventStore, RecordedEvent } from '../../src/stores/eventStore.ts'
import { openEventStoreDb } from '../../src/stores/eventstoredb/openEventStoreDb.ts'
import { type RunningShop, send } from '../support/runningShop.ts'
import { documentsIn, foldOfLog } from './foldOfLog.ts'
import type { Instance } from './instance.ts'
import { brokenLog, brokenPromises, brokenReadModels, brokenRecord } from './invariants.ts'
import type { Acknowledged, Load } from './load.ts'
import type { World } from './world.ts'

/** How long instances have to be ready once nothing is done to them any more. */
const readyMs = 90_000
/** Evaluations that each instance shows once more, and that it computes again; the log is asked for all. */
const shownMax = 150
const replayedMax = 10

/** Settles when each instance says that it is ready; answers a sentence for each that does not in time. */
export async function unreadyInstances(instances: readonly Instance[]): Promise<readonly string[]> {
  const untilMs = performance.now() + readyMs
  const problems = await Promise.all(instances.map((instance) => becomesReady(instance, untilMs)))
  return problems.flat()
}

async function becomesReady(instance: Instance, untilMs: number): Promise<readonly string[]> {
  let last = ''
  while (performance.now() < untilMs) {
    const { url } = instance.running() ?? {}
    try {
      const answer = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(10_000) })
      if (answer.ok) return []
      last = await answer.text()
    } catch (error) {
      last = String(error)
    }
    await sleep(100)
  }
  return [`${instance.name} is not ready ${readyMs} ms after everything was well: ${last}`]
}

/** What was acknowledged as an instance shows it: on record as it was answered, and computed again alike. */
export async function brokenAnswers(
  instance: Instance,
  shop: RunningShop,
  acknowledged: readonly Acknowledged[],
): Promise<readonly string[]> {
  const running = instance.running()
  if (!running) return [`${instance.name} does not run`]
  const problems: string[] = []
  const evaluations = acknowledged.filter(({ kind }) => kind === 'evaluation')
  for (const { id, body } of sampleOf(evaluations, shownMax)) {
    const path = `/v2/watch/evaluations/${id}`
    const { status, text } = await send(running, ['GET', path], shop)
    if (status !== 200) problems.push(`${instance.name} answers ${status} for ${id}: ${text}`)
    else problems.push(...brokenRecord(body, JSON.parse(text), id))
  }
  for (const { id } of sampleOf(evaluations, replayedMax)) {
    const { text } = await send(running, ['POST', `/v2/watch/evaluations/${id}/replay`], shop)
    if (!text.includes('"MATCH"')) problems.push(`${id} is computed otherwise: ${text}`)
  }
  return problems
}

/** So many of them at the most, from all over the list. */
function sampleOf<One>(list: readonly One[], max: number): readonly One[] {
  const step = Math.max(1, Math.ceil(list.length / max))
  return list.filter((_, index) => index % step === 0)
}

export interface Examined {
  readonly events: number
  readonly documents: number
  readonly problems: readonly string[]
}

/** The log and the read models, when no instance runs any more. */
export async function examineStores(world: World, load: Load): Promise<Examined> {
  const store = await openEventStoreDb({ url: world.eventStoreUrl })
  try {
    const events = await allOf(store)
    const expected = await foldOfLog(store)
    const found = await documentsOf(world)
    return {
      events: events.length,
      documents: expected.size,
      problems: [
        ...brokenLog(events),
        ...brokenPromises(events, load.acknowledged),
        ...brokenReadModels(found, expected),
      ],
    }
  } finally {
    await store.close()
  }
}

const pageMax = 500

async function allOf(store: EventStore): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = []
  for (;;) {
    const after = events.at(-1)?.position ?? 0
    const page = await store.readAll({ after, limit: pageMax })
    events.push(...page)
    if (page.length < pageMax) return events
  }
}

async function documentsOf({ mongoUrl: url }: World): Promise<ReadonlyMap<string, string>> {
  const store = await openReadStore({ folder: '', mongoDbUrl: url })
  try {
    return await documentsIn(store)
  } finally {
    await store.close()
  }
}
