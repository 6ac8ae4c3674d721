/**
 * The first use of what is long, after a restart: a session refreshed for ninety days, and a rulebook as large as one
 * may be.
 */

import { randomBytes, randomUUID } from 'node:crypto'
import type { EventStore } from '../src/stores/eventStore.ts'
import type { Benchmark, Size } from './benchmark.ts'
import { encode, openEmbeddedEventStore, openEventStoreDb } from './built.ts'
import { type Started, startHelper, startVigil, temporaryFolder } from './childProcess.ts'
import { evalBody } from './evalBody.ts'
import { eventLoopDelayMs } from './eventLoopDelay.ts'
import { type Figure, figureOf } from './figure.ts'
import { growRulebook } from './growRulebook.ts'
import { openLine } from './line.ts'
import { person } from './people.ts'
import { processorTimeOf, spentBetween } from './processorTime.ts'
import { headerOf, newClientKey, proofBy, refreshRequest } from './proofs.ts'
import { settled } from './readiness.ts'
import { appHost, openApp } from './sessionApp.ts'
import { openShop } from './shop.ts'
import { sixtyRules } from './sixtyRules.ts'
import { median } from './statistics.ts'

/** A server that keeps the log, or the data folder. */
interface Place {
  readonly name: string
  readonly folder: string
  readonly settings: Readonly<Record<string, string>>
  readonly openStore: () => Promise<EventStore>
}

interface Use {
  readonly seconds: number
  /** Of the event loop, as `/metrics` says it. */
  readonly delayMs: number
  readonly processorMs: number
}

/** Every ten minutes for ninety days. */
const refreshesMax = 90 * 24 * 6

/** On servers only with MONGODB_URL, which names the one of read models and keys, a database that may be written to. */
export const firstUse: Benchmark = async ({ size }) => {
  const { MONGODB_URL } = process.env
  const fake = startHelper('./fakeEventStoreDb.ts')
  const [embedded, beside] = [temporaryFolder(), temporaryFolder()]
  try {
    const url = await fake.ask<string>({})
    const uses = [
      ...(await usesOf(size, {
        name: 'embedded store',
        folder: embedded.path,
        settings: {},
        openStore: () => openEmbeddedEventStore({ folder: embedded.path }),
      })),
      ...(MONGODB_URL
        ? await usesOf(size, {
            name: 'log in a fake EventStoreDB',
            folder: beside.path,
            settings: { EVENTSTORE_URL: url, MONGODB_URL },
            openStore: () => openEventStoreDb({ url }),
          })
        : []),
    ]
    return [...uses.map(timeOf), delayOf(uses)]
  } finally {
    await fake.stop()
    for (const { remove } of [embedded, beside]) remove()
  }
}

/** What was used first, once in every round. */
interface Used {
  readonly what: string
  readonly uses: readonly Use[]
}

async function usesOf(size: Size, place: Place): Promise<readonly Used[]> {
  const rounds = { full: 9, quick: 5, smallest: 1 }[size]
  const isSmallest = size === 'smallest'
  const [refreshes, rules, flows] = isSmallest ? [20, 100, 2] : [refreshesMax, 49_900, 1_000]
  const vigil = await start(place)
  const shop = await openShop(vigil.port, sixtyRules)
  const session = await startSession(vigil.port)
  await vigil.stop()
  const store = await place.openStore()
  await growSession(store, session.id, refreshes)
  await growRulebook({ store, account: shop.account, conditions: sixtyRules, rules, flows })
  await store.close()
  const refreshed: Use[] = []
  const evaluated: Use[] = []
  // the first round folds the rulebook from its beginning, once, and keeps it
  for (let round = -1; round < rounds; round += 1) {
    refreshed.push(await firstUseOf(place, session.refresh))
    evaluated.push(await firstUseOf(place, (port) => evaluate(port, shop)))
  }
  const named = (count: number, what: string) =>
    `${what.replace('#', count.toLocaleString('en'))}, ${place.name}`
  return [
    { what: named(refreshes, 'refresh of a session refreshed # times'), uses: refreshed.slice(1) },
    { what: named(rules, 'evaluation on an account with # rules'), uses: evaluated.slice(1) },
  ]
}

const against = 'nothing, in absolute terms'

function timeOf({ what, uses }: Used): Figure {
  const target = { bound: 'at most', value: 0.5 } as const
  const processorMs = median(uses.map((use) => use.processorMs))
  return figureOf(
    { name: `first ${what}, after a restart`, against, unit: 's', target },
    uses.map(({ seconds }) => seconds),
    [`${processorMs.toFixed(0)} ms of processor time`],
  )
}

/** The longest of each round. */
function delayOf(used: readonly Used[]): Figure {
  const target = { bound: 'at most', value: 50 } as const
  const rounds = used[0]?.uses ?? []
  return figureOf(
    { name: 'same, longest delay of the event loop', against, unit: 'ms', target },
    rounds.map((_, round) => Math.max(...used.map(({ uses }) => uses[round]?.delayMs ?? 0))),
  )
}

const start = ({ folder, settings }: Place): Promise<Started> =>
  startVigil(folder, [], { ...settings, VIGIL_METRICS: 'open' })

async function started(place: Place): Promise<Started> {
  const vigil = await start(place)
  await settled(vigil.port)
  return vigil
}

async function firstUseOf(place: Place, use: (port: number) => Promise<unknown>): Promise<Use> {
  const vigil = await started(place)
  try {
    await eventLoopDelayMs(vigil.port, 'max')
    const before = processorTimeOf(vigil.pid)
    const begunMs = performance.now()
    await use(vigil.port)
    const seconds = (performance.now() - begunMs) / 1_000
    const spent = spentBetween(before, processorTimeOf(vigil.pid), vigil.pid)
    const delayMs = await eventLoopDelayMs(vigil.port, 'max')
    return { seconds, delayMs, processorMs: spent.reduce((sum, us) => sum + us, 0) / 1_000 }
  } finally {
    await vigil.stop()
  }
}

async function evaluate(
  port: number,
  { token, flow }: { readonly token: string; readonly flow: string },
): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/v2/watch/eval`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(evalBody(person(0), flow)),
  })
  if (!answer.ok) throw new Error(await answer.text())
  await answer.text()
}

interface Session {
  readonly id: string
  readonly refresh: (port: number) => Promise<void>
}

/** One that has been refreshed once, so that it is bound to a key. */
async function startSession(port: number): Promise<Session> {
  const app = await openApp(port, { access_seconds: 600 })
  const key = newClientKey()
  let { refresh_token: token } = await app.startSession(await app.newUser('ada'))
  const id = `ses_${token.split('_')[1]}`
  const refresh = async (at: number): Promise<void> => {
    // the nonce comes with a refusal
    const refused = await openLine(at, 400)
    const nonce = headerOf(
      await refused.send(refreshRequest(appHost, { token }, proofBy(key, appHost))),
      'dpop-nonce',
    )
    refused.close()
    const line = await openLine(at)
    const answer = await line.send(refreshRequest(appHost, { token }, proofBy(key, appHost, nonce)))
    line.close()
    token = headerOf(answer, 'x-refresh-token')
  }
  await refresh(port)
  return { id, refresh }
}

/** Refreshes as the service would have written them; the last one leaves the token good that is good now. */
async function growSession(store: EventStore, id: string, many: number): Promise<void> {
  const stream = `session-${id}`
  const recorded = await store.readStream(stream, { from: 0, limit: 100 })
  const last = recorded.at(-1)
  if (last?.type !== 'SessionRefreshed') throw new Error('the session has not been refreshed')
  const data = JSON.parse(last.data)
  const { account, actor } = JSON.parse(last.metadata)
  for (let from = 0; from < many; from += 500) {
    const events = Array.from({ length: Math.min(500, many - from) }, (_, index) => {
      const time = Date.now() - (many - from - index) * 600_000
      const refreshed = {
        ...data,
        generation: data.generation + from + index + 1,
        proof_id: randomBytes(22).toString('base64url'),
        refresh_token_hash:
          from + index === many - 1
            ? data.refresh_token_hash
            : randomBytes(32).toString('base64url'),
      }
      const context = { account, actor, request: randomUUID(), command: randomUUID(), time }
      return encode({ event: { type: last.type, data: refreshed }, context, index: 0 }, {} as never)
    })
    const answer = await store.append({ stream, events, expected: recorded.length - 1 + from })
    if (!answer.ok) throw new Error('somebody else writes to the session')
  }
}
