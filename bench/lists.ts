/** A very large list: what it costs to add to it, to ask it in an evaluation, and to read it whole. */

import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Benchmark, Size } from './benchmark.ts'
import {
  operatorToken,
  type Started,
  startHelper,
  startVigil,
  temporaryFolder,
} from './childProcess.ts'
import { type Figure, figureOf } from './figure.ts'
import type { ListOrder } from './fillList.ts'
import { person } from './people.ts'
import { settled } from './readiness.ts'
import { perSecond, type Requests } from './senders.ts'
import { openShop, type Shop, send } from './shop.ts'
import { sixtyRules } from './sixtyRules.ts'
import { median, ratios } from './statistics.ts'

const connections = 8
const peopleCount = 5_000
const path = '/v2/verification/management/phone-numbers/block'
/** Of a list; what the rounds add to it has to fit. */
const entriesMax = 1_000_000
const roundsAddAtMost = 60_000
const heapMebibytes = 256
const restMs = 2_000
const sampleEveryMs = 50

/**
 * Measures adds and evaluations per second on an account with a large list against one with an empty one, and memory
 * while the list is read.
 */
export const lists: Benchmark = async ({ size }) => {
  const entries = { full: entriesMax - roundsAddAtMost, quick: 20_000, smallest: 300 }[size]
  const folder = temporaryFolder()
  const { large, small } = await filled(folder.path, entries)
  const vigil = await startVigil(folder.path)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  try {
    await settled(vigil.port)
    const load = {
      agent,
      port: vigil.port,
      connections,
      durationMs: { full: 2_000, quick: 1_000, smallest: 100 }[size],
    }
    const kinds: Readonly<Record<Kind, Requests>> = {
      addLarge: adds(large),
      addSmall: adds(small),
      asking: evaluations(large, large.asking),
      plain: evaluations(large, large.flow),
    }
    const rates: Record<Kind, number[]> = { addLarge: [], addSmall: [], asking: [], plain: [] }
    for (let round = -1; round < { full: 9, quick: 3, smallest: 1 }[size]; round += 1) {
      for (const kind of ['addSmall', 'addLarge', 'plain', 'asking'] as const) {
        await settled(vigil.port)
        const rate = await perSecond(load, kinds[kind])
        if (round >= 0) rates[kind].push(rate)
      }
    }
    await settled(vigil.port)
    await vigil.stop()
    return [...figures(rates, entries), await memoryFigure(folder.path, large, { entries, size })]
  } finally {
    agent.destroy()
    await vigil.stop()
    folder.remove()
  }
}

type Kind = 'addLarge' | 'addSmall' | 'asking' | 'plain'

interface Asking extends Shop {
  /** A flow with the same rules and some that ask lists. */
  readonly asking: string
}

/** Two accounts, one of which has a list of so many numbers. */
async function filled(
  folder: string,
  entries: number,
): Promise<{ readonly large: Asking; readonly small: Shop }> {
  const first = await startVigil(folder)
  const large = await openLists(first.port)
  const small = await openManaging(first.port)
  await first.stop()
  const helper = startHelper('./fillList.ts')
  await helper.ask<boolean>({
    ...{ folder, entries },
    token: large.token,
    list: 'block',
  } satisfies ListOrder)
  await helper.stop()
  return { large, small }
}

async function openManaging(port: number): Promise<Shop> {
  const shop = await openShop(port, sixtyRules, ['manage'])
  await send(port, {
    method: 'PUT',
    path: `/v2/operator/accounts/${shop.account}/access`,
    token: operatorToken,
    body: { authoring: true, management: true },
  })
  return shop
}

const askingLists = ['list.block', 'list.allow', 'inList("vip", target.email_address)']

async function openLists(port: number): Promise<Asking> {
  const shop = await openManaging(port)
  const make = async (kind: string, body: object): Promise<string> => {
    const at = `/v2/watch/management/${kind}`
    return String((await send(port, { method: 'POST', path: at, token: shop.token, body }))['id'])
  }
  await make('lists', { name: 'vip', kind: 'email_address' })
  const rules: object[] = []
  for (const expression of askingLists) {
    rules.push({ rule_id: await make('rules', { name: expression, expression }), weight: 1 })
  }
  const recipe = await make('recipes', { name: 'Lists', status: 'LIVE', threshold: 50, rules })
  const plain = await send(port, {
    method: 'GET',
    path: `/v2/watch/management/flows/${shop.flow}`,
    token: shop.token,
  })
  const recipes = [...recipesOf(plain), recipe]
  return { ...shop, asking: await make('flows', { name: 'Asking', recipes }) }
}

function recipesOf(flow: Readonly<Record<string, unknown>>): readonly string[] {
  return (flow['recipes'] as readonly (string | { readonly id: string })[]).map((recipe) =>
    typeof recipe === 'string' ? recipe : recipe.id,
  )
}

function adds({ token, account }: Shop): Requests {
  return {
    path,
    headers: { authorization: `Bearer ${token}` },
    body: (number) => ({ phone_number: `+1415${2_000_000 + number}`, reason: account }),
  }
}

function evaluations({ token }: Shop, flow_id: string): Requests {
  return {
    path: '/v2/watch/eval',
    headers: { authorization: `Bearer ${token}` },
    body: (number) => {
      const { phone_number, email_address, existing_user, ext } = person(number % peopleCount)
      return {
        flow_id,
        target: { phone_number, email_address },
        signals: { existing_user, ext },
      }
    },
  }
}

function figures(rates: Record<Kind, number[]>, entries: number): readonly Figure[] {
  const count = entries.toLocaleString('en')
  const rate = (of: readonly number[]): string => `${median(of).toFixed(0)}/s`
  const { addLarge, addSmall, asking, plain } = rates
  return [
    figureOf(
      {
        name: `POST ${path}, list of ${count}, ${connections} connections, durable, sealing on`,
        against: 'a list that was empty, likewise',
        unit: 'of its requests/s',
        target: { bound: 'at least', value: 0.9 },
      },
      ratios(addLarge, addSmall),
      [`large ${rate(addLarge)}, empty ${rate(addSmall)}`],
    ),
    figureOf(
      {
        name: `POST /v2/watch/eval that asks three lists, one of ${count}, ${connections} connections, 60 rules`,
        against: 'the same rules without lists',
        unit: 'of its requests/s',
        target: { bound: 'at least', value: 0.8 },
      },
      ratios(asking, plain),
      [`asking ${rate(asking)}, without ${rate(plain)}`],
    ),
  ]
}

interface Listing {
  readonly entries: number
  readonly size: Size
}

/** With a heap that is small: where it may be large, Node leaves what is not used any more in it for long. */
async function memoryFigure(folder: string, shop: Shop, listing: Listing): Promise<Figure> {
  const vigil = await startVigil(folder, [`--max-old-space-size=${heapMebibytes}`])
  try {
    await settled(vigil.port)
    return await measureMemory(vigil, shop, listing)
  } finally {
    await vigil.stop()
  }
}

async function measureMemory(
  vigil: Started,
  { token }: Shop,
  { entries, size }: Listing,
): Promise<Figure> {
  const rounds = { full: 3, quick: 1, smallest: 1 }[size]
  const more: number[] = []
  const rests: number[] = []
  await readWhole(vigil, token)
  for (let round = 0; round < rounds; round += 1) {
    await sleep(restMs)
    const rest = residentMebibytes(vigil.pid)
    rests.push(rest)
    more.push((await readWhole(vigil, token)) - rest)
  }
  return figureOf(
    {
      name: `memory while ${entries.toLocaleString('en')} numbers are listed, heap of ${heapMebibytes} MiB`,
      against: 'before, a first time over',
      unit: 'MiB more',
      target: { bound: 'at most', value: 64 },
    },
    more,
    [`resident before: ${median(rests).toFixed(0)} MiB`],
  )
}

/**
 * Reads the list to its end and answers the most memory that the service had meanwhile, in MiB. Throws when it is not
 * all there.
 */
async function readWhole({ port, pid }: Started, token: string): Promise<number> {
  let most = 0
  const look = setInterval(() => {
    most = Math.max(most, residentMebibytes(pid))
  }, sampleEveryMs)
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    let last = ''
    for await (const piece of answer.body ?? []) {
      last = (last + Buffer.from(piece).toString('latin1')).slice(-endText.length)
    }
    if (last !== endText) throw new Error(`the list broke off: ${last}`)
  } finally {
    clearInterval(look)
  }
  return Math.max(most, residentMebibytes(pid))
}

const endText = '}]}'

function residentMebibytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}
