/** A shop whose rules count, and customers that come again. */

import type { Customer } from './openVigil.ts'
import type { PlainCounter } from './plainCounters.ts'

/** Pseudo-random and the same each time: 0 to 1. */
function drawFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

const isText = (text: string | undefined): text is string => text !== undefined && text !== ''

/** What the rules of the shop count, as rules have it and as it is counted plainly. */
export const shopCounters: readonly PlainCounter[] = [
  {
    name: 'count(evaluations, by(signal.device_id), "10m")',
    window: '10m',
    key: ({ value }) => value('signal.device_id'),
  },
  {
    name: 'count(evaluations, by(signal.device_id), "24h")',
    window: '24h',
    key: ({ value }) => value('signal.device_id'),
  },
  {
    name: 'count(flagged, by(network(signal.ip)), "1h")',
    window: '1h',
    key: ({ value }) => toNetwork(value('signal.ip')),
    counts: ({ isFlagged }) => isFlagged,
  },
  {
    name: 'distinct(evaluations, target.phone_number, by(signal.device_id), "24h")',
    window: '24h',
    key: ({ value }) => value('signal.device_id'),
    distinct: ({ value }) => value('target.phone_number'),
  },
  {
    name: 'sum(evaluations, int(signal.ext.amount), by(prefix(target.phone_number, 7)), "7d")',
    window: '7d',
    key: ({ value }) => value('target.phone_number')?.slice(0, 7),
    sum: ({ value }) => toInteger(value('signal.ext.amount')),
  },
  {
    name: 'count(evaluations, by(emailDomain(target.email_address), signal.device_id), "30d")',
    window: '30d',
    key: ({ value }) => {
      const [domain, device] = [
        value('target.email_address')?.split('@')[1],
        value('signal.device_id'),
      ]
      return isText(domain) && isText(device) ? `${domain} ${device}` : undefined
    },
  },
]

function toInteger(text: string | undefined): number {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : 0
}

function toNetwork(ip: string | undefined): string | undefined {
  if (ip === undefined || !ip.includes(':')) return ip
  return ip.split(':').slice(0, 4).join(':')
}

/** A flow that flags what is marked, and whose other rules count and never trigger. */
export function openCountedFlow(shop: Customer): Promise<string> {
  const never = shopCounters.map(({ name }) => `${name} < -1000000000`)
  return shop.flowOf('signal.ext.marked == "yes"', ...never)
}

const devices = 12
const ips = ['203.0.113.7', '203.0.113.8', '2001:db8:1:2::1', '2001:db8:1:2::2', '2001:db8:9:9::1']
const amounts = ['100', '2500', '-70', 'none', '12.5']

/** Makes requests of customers that share devices, addresses and numbers. */
export function openVisitors(shop: Customer, flow: string, seed: number) {
  const draw = drawFrom(seed)
  const pick = <One>(all: readonly One[]): One => all[Math.floor(draw() * all.length)] as One
  const dispatches = new Map<string, { readonly id: string; readonly atMs: number }>()
  const findDispatch = async (nowMs: number): Promise<string> => {
    const device_id = `dev-${Math.floor(draw() * draw() * devices)}`
    const ip = pick(ips)
    const known = dispatches.get(`${device_id} ${ip}`)
    if (known && nowMs - known.atMs < 12 * 3_600_000) return known.id
    const id = await shop.dispatch({ device_id, ip })
    dispatches.set(`${device_id} ${ip}`, { id, atMs: nowMs })
    return id
  }
  return {
    draw,
    /** The body of the next request. */
    next: async (nowMs: number): Promise<Record<string, unknown>> => {
      const marked = draw() < 0.2 ? 'yes' : 'no'
      const number = `+336123${Math.floor(draw() * 40)
        .toString()
        .padStart(5, '0')}`
      const address =
        draw() < 0.5
          ? { email_address: `u${Math.floor(draw() * 9)}@a${Math.floor(draw() * 3)}.example` }
          : {}
      return {
        flow_id: flow,
        target: { phone_number: number, ...address },
        ...(draw() < 0.9 && { dispatch_id: await findDispatch(nowMs) }),
        signals: { ext: { marked, ...(draw() < 0.8 && { amount: pick(amounts) }) } },
      }
    },
  }
}
