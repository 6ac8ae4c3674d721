/** Evaluates many customers of a counting shop, and compares every counter with the log. */

import type { ServiceContext } from '../../src/app/serviceContext.ts'
import { openCountedFlow, openVisitors, shopCounters } from './countedShop.ts'
import { type Customer, openCustomer } from './openVigil.ts'
import {
  type Compared,
  compareCounters,
  type PlainEvaluation,
  readPlainEvaluations,
} from './plainCounters.ts'

const day = 24 * 3_600_000

interface CountedRun {
  readonly evaluations: number
  readonly seed: number
  /** Where the account is made, and by which its evaluations are sent, in turn. */
  readonly doors: readonly Parameters<typeof openCustomer>[0][]
  readonly context: Pick<ServiceContext, 'events' | 'keyring'>
  readonly clock: { nowMs: number }
  /** Called before each group of evaluations that are sent at once. */
  readonly before?: (draw: () => number) => Promise<void>
  /** Called before the clock moves. */
  readonly settled?: () => Promise<void>
  /** How old the rules are at first: 40 days unless given, so that every counter is warm. */
  readonly ageMs?: number
}

interface CountedShop extends Compared {
  readonly shop: Customer
  readonly found: readonly PlainEvaluation[]
}

export async function runCountedShop(run: CountedRun): Promise<CountedShop> {
  const { doors, clock, evaluations, seed, context } = run
  const [door] = doors
  if (!door) throw new Error('no door')
  const shop = await openCustomer(door)
  const flow = await openCountedFlow(shop)
  await run.settled?.()
  clock.nowMs += run.ageMs ?? 40 * day
  const visitors = openVisitors(shop, flow, seed)
  let sent = 0
  while (sent < evaluations) {
    await run.before?.(visitors.draw)
    const group = Math.min(1 + Math.floor(visitors.draw() * 12), evaluations - sent)
    const bodies: Record<string, unknown>[] = []
    for (let at = 0; at < group; at += 1) bodies.push(await visitors.next(clock.nowMs))
    await Promise.all(
      bodies.map((body, at) => evaluate(doors[at % doors.length] ?? door, shop, body)),
    )
    sent += group
    if (visitors.draw() < 0.3) clock.nowMs += Math.floor(visitors.draw() ** 4 * 6 * 3_600_000)
    else clock.nowMs += Math.floor(visitors.draw() * 20_000)
  }
  const found = await readPlainEvaluations(context, shop.accountId)
  if (found.length !== evaluations) throw new Error(`${found.length} evaluations are on record`)
  return { shop, found, ...compareCounters(found, shopCounters) }
}

async function evaluate(
  { door }: Parameters<typeof openCustomer>[0],
  { token }: Customer,
  body: Record<string, unknown>,
): Promise<void> {
  const { status, text } = await door.request('POST', '/v2/watch/eval', { token, body })
  if (status !== 200) throw new Error(text)
}
