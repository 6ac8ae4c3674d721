/** Evaluates many customers of counting shops, and compares every counter with the log. */

import type { EventStore } from '../../src/stores/eventStore.ts'
import { type SeededChance, seededChance } from '../faults/seededChance.ts'
import { type CountedShop, openCountedShop, openVisitors, shopCounters } from './countedShop.ts'
import { eventually } from './eventually.ts'
import type { Instance, TwoInstances } from './openTwoInstances.ts'
import type { Customer } from './openVigil.ts'
import {
  type Compared,
  compareCounters,
  type PlainEvent,
  readPlainEvents,
} from './plainCounters.ts'

const day = 24 * 3_600_000
const accounts = 3
/** Who evaluate at once at the most, one after the other each, and how often before the clock moves. */
const callersMax = 64
const eachMax = 4
const caughtUpMs = 60_000

type CountingInstance = Pick<Instance, 'door' | 'context'>

interface CountedRun {
  /** Where accounts are made, at the first one, and by which evaluations are sent, in turn. */
  readonly instances: readonly [CountingInstance, ...CountingInstance[]]
  /** At least. */
  readonly evaluations: number
  readonly seed: number
  readonly clock: { nowMs: number }
  /** How old the rules are at first: 40 days unless given, so that every counter is warm. */
  readonly ageMs?: number
  /** Called before many evaluate at once; calls what it answers after them. */
  readonly disturb?: () => () => Promise<void>
}

/** How many evaluations a long run makes: `TEST_EVALUATIONS`, or so many. */
export function evaluationsOfRun(few: number): number {
  return Number(process.env['TEST_EVALUATIONS'] ?? few)
}

interface CountedRunResult extends Compared {
  readonly shops: readonly Customer[]
  readonly events: readonly PlainEvent[]
}

export async function runCountedShop(run: CountedRun): Promise<CountedRunResult> {
  const { instances, clock, evaluations, seed, disturb } = run
  const [{ context }] = instances
  const chance = seededChance(seed)
  const { callers, shops } = await openCallers(run)
  clock.nowMs += run.ageMs ?? 40 * day
  let sent = 0
  while (sent < evaluations) {
    for (const one of instances) await catchUp(one)
    clock.nowMs += Math.floor(chance.between(0, 1) ** 8 * 6 * 3_600_000)
    const count = Math.ceil(chance.between(0, callersMax))
    const each = Math.ceil(chance.between(0, eachMax))
    const restore = disturb?.()
    await Promise.all(callers.slice(0, count).map((evaluate) => repeat(each, evaluate)))
    await restore?.()
    sent += count * each
  }
  const events = await readPlainEvents(context)
  const found = events.filter(({ source }) => source === 'evaluations').length
  if (found < sent) throw new Error(`${found} of ${sent} evaluations are on record`)
  return { shops, events, ...compareCounters(events, shopCounters) }
}

/** Each evaluates somebody, and moves the clock a little. */
async function openCallers({ instances, seed, clock }: CountedRun) {
  const shops = await Promise.all(
    Array.from({ length: accounts }, () => openCountedShop(instances[0])),
  )
  const callers = Array.from({ length: callersMax }, (_, at) => {
    const { door } = instances[at % instances.length] ?? instances[0]
    const counted = shops[at % accounts] as CountedShop
    const visitors = openVisitors(counted, seededChance(seed + at))
    const send = (path: string, body: Record<string, unknown>) =>
      insist(() => post(door, counted.shop, [path, body]))
    return async (): Promise<void> => {
      const { evaluation, feedback } = await insist(() => visitors.next(clock.nowMs))
      if (feedback) await send('/v2/watch/feedback', feedback)
      await send('/v2/watch/eval', evaluation)
      clock.nowMs += 3
    }
  })
  return { callers, shops: shops.map(({ shop }) => shop) }
}

/** Hurries the projections, which otherwise rest between batches. */
async function catchUp({ context: { events, projections } }: CountingInstance): Promise<void> {
  await projections.waitFor(await events.head(), caughtUpMs)
}

async function repeat(times: number, work: () => Promise<void>): Promise<void> {
  for (let at = 0; at < times; at += 1) await work()
}

async function post(
  door: Instance['door'],
  { token }: Customer,
  [path, body]: readonly [string, Record<string, unknown>],
): Promise<void> {
  const { status, text } = await door.request('POST', path, { token, body })
  if (status !== 200) throw new Error(text)
}

/** What a busy machine answers in the place of an evaluation. */
const retried = ['"code":"unavailable"', '"code":"request_timeout"']

/**
 * Again where no answer came in time, or a connection was idle for too long, as on a busy machine: what was recorded
 * then counts, too.
 */
async function insist<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ECONNRESET' || retried.some((one) => message.includes(one))) return insist(work)
    throw error
  }
}

/**
 * The same on two instances. The one that runs the projections stops now and then and goes on, or stops with a batch in
 * hand, and goes on once the other one has taken over and counted what was in it, and more.
 */
export function runOnTwo(
  { a, b, pass }: TwoInstances,
  run: Pick<CountedRun, 'evaluations' | 'seed' | 'clock'>,
): Promise<CountedRunResult> {
  let times = 0
  return runCountedShop({
    ...run,
    instances: [a, b],
    disturb: () => {
      times += 1
      if (times % 3 === 0) return async () => undefined
      const isOwner = ({ context }: Instance) => context.projections.leaseStatus().isOwner
      const [owner, other] = isOwner(a) ? [a, b] : [b, a]
      const isLost = times % 3 === 1
      owner.projecting.freeze(isLost ? 'commit' : undefined)
      return async () => {
        if (isLost) {
          await eventually(() => owner.projecting.waiting() > 0)
          pass(60_000)
          await eventually(() => isOwner(other))
          await catchUp(other)
        }
        owner.projecting.thaw()
      }
    },
  })
}

/** The log in batches of other sizes. */
export function cutAtRandom(events: EventStore, { between }: SeededChance): EventStore {
  return {
    ...events,
    follow: async function* (...asked) {
      for await (const batch of events.follow(...asked)) {
        for (let from = 0; from < batch.length; ) {
          const to = from + 1 + Math.floor(between(0, 1) ** 2 * (batch.length - from))
          yield batch.slice(from, to)
          from = to
        }
      }
    },
  }
}
