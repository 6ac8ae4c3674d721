/** What auditors ask of a running service: evaluations beside a replay of all, and the history of one person. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Benchmark } from './benchmark.ts'
import type { BytesOrder } from './bytesServer.ts'
import {
  type Helper,
  type Started,
  startHelper,
  startVigil,
  temporaryFolder,
} from './childProcess.ts'
import { type Asked, bodyOf, loadEvals, openNewPeople } from './evalLoad.ts'
import { figureOf } from './figure.ts'
import type { LoadReport, RequestsOrder } from './loadGenerator.ts'
import { person } from './people.ts'
import { settled } from './readiness.ts'
import { openShop, send } from './shop.ts'
import { sixtyRules } from './sixtyRules.ts'
import { median, ratios } from './statistics.ts'

const replays = '/v2/watch/audit/replays'
const connections = 64

/** Evaluates many people first, each once, so that there is something to replay and to look through. */
export const auditing: Benchmark = async ({ size }) => {
  const many = { full: 200_000, quick: 10_000, smallest: 300 }[size]
  const durationMs = { full: 10_000, quick: 3_000, smallest: 1_000 }[size]
  const rounds = { full: 5, quick: 3, smallest: 1 }[size]
  const folder = temporaryFolder()
  const vigil = await startVigil(folder.path)
  const plain = startHelper('./bytesServer.ts')
  const load = startHelper('./loadGenerator.ts')
  try {
    const shop = await openShop(vigil.port, sixtyRules, ['audit', 'analyse'])
    const asked: Asked = { load, shop, durationMs }
    const evaluations = await evaluateMany(asked, vigil, many)
    await settled(vigil.port)
    return [
      await besideReplay({ asked, vigil, evaluations, rounds }),
      await historyOfOne({ asked, vigil, plain, rounds }),
    ]
  } finally {
    for (const helper of [load, plain]) await helper.stop()
    await vigil.stop()
    folder.remove()
  }
}

async function evaluateMany(asked: Asked, vigil: Started, many: number): Promise<number> {
  const newPeople = openNewPeople(asked.durationMs)
  let evaluated = 0
  while (evaluated < many) {
    const { requests } = await loadEvals(asked, vigil, newPeople.next())
    newPeople.taken(requests)
    evaluated += requests
  }
  return evaluated
}

interface Beside {
  readonly asked: Asked
  readonly vigil: Started
  readonly evaluations: number
  readonly rounds: number
}

/** Half of what the service can take, asked in a steady pace, while all evaluations are replayed again and again. */
async function besideReplay({ asked, vigil, evaluations, rounds }: Beside) {
  const { token } = asked.shop
  const full = await loadEvals(asked, vigil)
  const perSecond = full.requestsPerSecond / 2
  const beside: number[] = []
  const alone: number[] = []
  const paces: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    await settled(vigil.port)
    alone.push((await loadEvals(asked, vigil, { perSecond })).requestsPerSecond)
    const replaying = replayOn(vigil.port, token)
    beside.push((await loadEvals(asked, vigil, { perSecond })).requestsPerSecond)
    paces.push(...(await replaying.end()).filter((pace) => pace > 0))
  }
  return figureOf(
    {
      name: 'POST /v2/watch/eval at half load while `POST /v2/watch/audit/replays` runs',
      against: 'without',
      unit: 'of its requests/s',
      target: { bound: 'at least', value: 0.9 },
    },
    ratios(beside, alone),
    [
      `${median(beside).toFixed(0)}/s and ${median(alone).toFixed(0)}/s, of ${evaluations.toLocaleString('en')} evaluations`,
      ...(paces.length > 0 ? [`replayed at ${median(paces).toFixed(0)}/s beside it`] : []),
    ],
  )
}

/** Replays everything again and again until it is ended; answers the rates. */
function replayOn(port: number, token: string): { readonly end: () => Promise<readonly number[]> } {
  const paces: number[] = []
  let isOver = false
  const run = async (): Promise<void> => {
    while (!isOver) paces.push(await replayOnce(port, token, () => isOver))
  }
  const done = run()
  return {
    end: async () => {
      isOver = true
      await done
      return paces
    },
  }
}

/**
 * Replays everything unless it is over before; answers the rate. Throws when an evaluation is not what its record says.
 */
async function replayOnce(port: number, token: string, isOver: () => boolean): Promise<number> {
  let shown = await send(port, { method: 'POST', path: replays, token })
  const path = `${replays}/${shown['id']}`
  while (shown['state'] === 'RUNNING' && !isOver()) {
    await sleep(100)
    shown = await send(port, { method: 'GET', path, token })
  }
  await send(port, { method: 'POST', path: `${path}/cancel`, token })
  if (shown['mismatch'] === 0 && shown['state'] !== 'FAILED') {
    return Number(shown['evaluations_per_second'])
  }
  throw new Error(JSON.stringify(shown))
}

interface History {
  readonly asked: Asked
  readonly vigil: Started
  readonly plain: Helper
  readonly rounds: number
}

/** The events of one person, evaluated fifty times. */
async function historyOfOne({ asked: { load, shop, durationMs }, vigil, plain, rounds }: History) {
  const { phone_number, email_address } = person(0)
  const body = { flow_id: shop.flow, target: { phone_number, email_address } }
  for (let times = 0; times < 50; times += 1) {
    await send(vigil.port, { method: 'POST', path: '/v2/watch/eval', token: shop.token, body })
  }
  await settled(vigil.port)
  const path = `/v2/watch/audit/events?phone_number=${encodeURIComponent(phone_number)}`
  const order: Omit<RequestsOrder, 'port'> = {
    ...{ connections, durationMs },
    requests: [
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${shop.token}\r\n\r\n`,
    ],
  }
  const ask = (port: number) => load.ask<LoadReport>({ ...order, port })
  const page = bodyOf((await ask(vigil.port)).sample)
  const port = await plain.ask<number>({ body: page } satisfies BytesOrder)
  await ask(port)
  const ours: number[] = []
  const theirs: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    theirs.push((await ask(port)).requestsPerSecond)
    ours.push((await ask(vigil.port)).requestsPerSecond)
  }
  return figureOf(
    {
      name: 'GET /v2/watch/audit/events of one person, a page of 50 evaluations, opened',
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
