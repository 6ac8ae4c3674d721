/** Shops whose rules count, and customers that come again. */

import type { SeededChance } from '../faults/seededChance.ts'
import { type Customer, openCustomer } from './openVigil.ts'
import type { PlainCounter, PlainEvent } from './plainCounters.ts'

type Key = PlainCounter['key']

const device: Key = ({ value }) => value('signal.device_id')
const phone: Key = ({ value }) => value('target.phone_number')

/** What the rules of the shops count, as rules have it and as it is counted plainly. */
export const shopCounters: readonly PlainCounter[] = [
  counterOf('count(evaluations, by(signal.device_id), "10m")', device),
  counterOf('count(evaluations, by(signal.device_id), "24h")', device),
  counterOf('count(flagged, by(network(signal.ip)), "1h")', network),
  counterOf('count(dispatches, by(network(signal.ip)), "1h")', network),
  counterOf('count(verification.started, by(target.phone_number), "24h")', phone),
  counterOf('count(evaluations, by(flow.id, phoneCountry(target.phone_number)), "10m")', (one) =>
    join(one.value('flow.id'), phone(one)?.startsWith('+33') ? 'FR' : 'DE'),
  ),
  counterOf(
    'count(evaluations, by(emailDomain(target.email_address), signal.device_id), "30d")',
    (one) => join(one.value('target.email_address')?.split('@')[1], device(one)),
  ),
  {
    ...counterOf('distinct(evaluations, target.phone_number, by(signal.device_id), "24h")', device),
    distinct: phone,
  },
  {
    ...counterOf(
      'sum(evaluations, int(signal.ext.amount), by(prefix(target.phone_number, 7)), "7d")',
      (one) => phone(one)?.slice(0, 7),
    ),
    sum: ({ value }) => toInteger(value('signal.ext.amount')),
  },
]

function counterOf(name: string, key: Key): PlainCounter {
  const [, source = '', window = ''] = /^\w+\(([\w.]+), .* "(\w+)"\)$/.exec(name) ?? []
  return { name, source, window, key }
}

function join(...parts: readonly (string | undefined)[]): string | undefined {
  return parts.every(Boolean) ? parts.join(' ') : undefined
}

function toInteger(text: string | undefined): number {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : 0
}

function network({ value }: PlainEvent): string | undefined {
  const ip = value('signal.ip')
  return ip?.includes(':') ? ip.split(':').slice(0, 4).join(':') : ip
}

export interface CountedShop {
  readonly shop: Customer
  readonly flows: readonly string[]
  /** The last one of a device at an address. */
  readonly dispatches: Map<string, { readonly id: string; readonly atMs: number }>
}

/** A shop of two flows that flag what is marked, and whose other rules count and never trigger. */
export async function openCountedShop(
  instance: Parameters<typeof openCustomer>[0],
): Promise<CountedShop> {
  const shop = await openCustomer(instance)
  const never = shopCounters.map(({ name }) => `${name} < -1000000000`)
  const flow = () => shop.flowOf('signal.ext.marked == "yes"', ...never)
  return { shop, flows: [await flow(), await flow()], dispatches: new Map() }
}

/** Most requests are of few devices, the others of so many that few of them come again. */
const hotDevices = 12
const coldDevices = 5_000
const ips = ['203.0.113.7', '203.0.113.8', '2001:db8:1:2::1', '2001:db8:1:2::2', '2001:db8:9:9::1']
const amounts = ['100', '2500', '-70', 'none', '12.5']

interface Requests {
  readonly evaluation: Record<string, unknown>
  /** Of some. */
  readonly feedback?: Record<string, unknown>
}

/** Makes requests of customers that share devices, addresses and numbers. */
export function openVisitors(
  { shop, flows, dispatches }: CountedShop,
  { between, pick }: SeededChance,
) {
  const below = (count: number): number => Math.floor(between(0, count))
  const mostly = <One, Other>(share: number, often: One, seldom: Other): One | Other =>
    between(0, 1) < share ? often : seldom
  const findDispatch = async (nowMs: number): Promise<string> => {
    const device_id = mostly(
      0.7,
      `hot-${below(between(0, hotDevices))}`,
      `cold-${below(coldDevices)}`,
    )
    const ip = mostly(0.8, pick(ips), `198.51.100.${below(250)}`)
    const known = dispatches.get(`${device_id} ${ip}`)
    if (known && nowMs - known.atMs < 12 * 3_600_000) return known.id
    const id = await shop.dispatch({ device_id, ip })
    dispatches.set(`${device_id} ${ip}`, { id, atMs: nowMs })
    return id
  }
  return {
    /** The bodies of the next requests. */
    next: async (nowMs: number): Promise<Requests> => {
      const phone_number = mostly(
        0.5,
        `+3361230${1_000 + below(400)}`,
        `+491512${1_000_000 + below(9_000_000)}`,
      )
      const email = { email_address: `u${below(9)}@a${below(3)}.example` }
      const ext = {
        marked: mostly(0.2, 'yes', 'no'),
        ...mostly(0.8, { amount: pick(amounts) }, {}),
      }
      const target = { type: 'phone_number', value: phone_number }
      const feedback = { feedbacks: [{ target, type: 'verification.started' }] }
      const evaluation = {
        flow_id: pick(flows),
        target: { phone_number, ...mostly(0.5, email, {}) },
        ...(between(0, 1) < 0.9 && { dispatch_id: await findDispatch(nowMs) }),
        signals: { ext },
      }
      return { evaluation, ...mostly(0.1, { feedback }, {}) }
    },
  }
}
