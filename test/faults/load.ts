/** Continuous work on the instances, and what they have acknowledged of it. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningShop } from '../support/runningShop.ts'
import type { Instance } from './instance.ts'
import type { SeededChance } from './seededChance.ts'

export interface Acknowledged {
  readonly kind: 'evaluation' | 'rule'
  /** Of what was written. */
  readonly id: string
  /** The `Idempotency-Key` it was sent with. */
  readonly key: string
  /** Each client sends its next one when it has the answer of the one before. */
  readonly client: number
  readonly body: Readonly<Record<string, unknown>>
}

export interface Load {
  readonly acknowledged: readonly Acknowledged[]
  /** Keys of what was sent and never acknowledged: it may have been written or not. */
  readonly unknown: readonly string[]
  /** Sentences: what no service may answer, and requests to an undisturbed instance that had no end. */
  readonly faults: readonly string[]
  /** Settles when what is under way has ended. */
  readonly stop: () => Promise<void>
}

export interface LoadOptions {
  readonly instances: readonly Instance[]
  readonly shop: RunningShop
  readonly chance: SeededChance
  readonly clients: number
}

/** The service answers within 15 s whatever happens to its stores; what takes longer does not end by itself. */
const patienceMs = 25_000
/** For how long one thing is tried before it counts as unknown. */
const tryMs = 60_000
const pauseMs = 50
/** Answers of a service that is busy or whose stores are away: the same may be sent again. */
const again = new Set([408, 429, 503])

interface Work {
  readonly kind: Acknowledged['kind']
  readonly path: string
  readonly key: string
  readonly body: object
}

export function startLoad(options: LoadOptions): Load {
  const acknowledged: Acknowledged[] = []
  const unknown: string[] = []
  const faults: string[] = []
  const stopping = new AbortController()
  const client = async (number: number): Promise<void> => {
    for (let count = 0; !stopping.signal.aborted; count += 1) {
      const work = workOf(options.shop, number, count)
      const body = await untilAnswered(options, work, faults)
      if (body) acknowledged.push({ ...work, id: String(body['id']), client: number, body })
      else unknown.push(work.key)
      await sleep(pauseMs)
    }
  }
  const clients = Array.from({ length: options.clients }, (_, number) => client(number))
  return {
    ...{ acknowledged, unknown, faults },
    stop: async () => {
      stopping.abort()
      await Promise.all(clients)
    },
  }
}

function workOf({ flow }: RunningShop, client: number, count: number): Work {
  const key = `client-${client}-${count}`
  if (count % 10 === 9) {
    const body = { name: key, expression: `signal.ext.n == "${key}"` }
    return { kind: 'rule', path: '/v2/watch/management/rules', key, body }
  }
  const phone_number = `+336${String(10_000_000 + client * 100_000 + (count % 300))}`
  const signals = { ext: { cart: String(count % 100) } }
  const body = { flow_id: flow, target: { phone_number }, signals }
  return { kind: 'evaluation', path: '/v2/watch/eval', key, body }
}

type Answer = Readonly<Record<string, unknown>>

/** The same request to one instance after another, until one acknowledges it; undefined when none did in its time. */
async function untilAnswered(
  { instances, shop, chance }: LoadOptions,
  work: Work,
  faults: string[],
): Promise<Answer | undefined> {
  const untilMs = performance.now() + tryMs
  while (performance.now() < untilMs) {
    const instance = chance.pick(instances)
    const answer = await tryOnce(instance, shop.token, work)
    if (answer.kind === 'acknowledged') return answer.body
    if (answer.kind === 'fault') {
      faults.push(`${work.key} on ${instance.name}: ${answer.text}`)
      return undefined
    }
    await sleep(pauseMs)
  }
  return undefined
}

type Tried =
  | { readonly kind: 'acknowledged'; readonly body: Answer }
  | { readonly kind: 'fault'; readonly text: string }
  | { readonly kind: 'again' }

async function tryOnce(instance: Instance, token: string, work: Work): Promise<Tried> {
  const running = instance.running()
  if (!running) return { kind: 'again' }
  const begunMs = performance.now()
  try {
    const answer = await fetch(`${running.url}${work.path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': work.key,
      },
      body: JSON.stringify(work.body),
      signal: AbortSignal.timeout(patienceMs),
    })
    const text = await answer.text()
    if (answer.ok) return { kind: 'acknowledged', body: JSON.parse(text) as Answer }
    if (again.has(answer.status)) return { kind: 'again' }
    return { kind: 'fault', text: `answered ${answer.status} ${text}` }
  } catch (error) {
    if (instance.calmSinceMs() > begunMs) return { kind: 'again' }
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const text = isLate ? `no answer in ${patienceMs} ms` : `the connection broke: ${cause}`
    return { kind: 'fault', text }
  }
}
