/** What goes wrong in a round, chosen by chance. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { TcpProxy } from '../support/tcpProxy.ts'
import type { Instance } from './instance.ts'
import type { SeededChance } from './seededChance.ts'

export interface Victims {
  readonly instances: readonly Instance[]
  /** The process that keeps the log, where the run has started it itself. */
  readonly log: { readonly pause: () => void; readonly resume: () => void } | undefined
  /** The way of each instance to MongoDB, where there is a proxy on it. */
  readonly mongo: readonly TcpProxy[]
}

interface Mischief {
  readonly name: string
  readonly work: () => Promise<void>
}

/** The lease of the projections is given for 10 s (docs/guide/running.md). */
const beyondLeaseMs = 12_000

/** One thing that goes wrong, and comes right again but for an instance that was killed. */
export function chooseMischief(victims: Victims, chance: SeededChance): Mischief {
  const { instances, log, mongo } = victims
  const instance = chance.pick(instances)
  const ms = Math.round(chance.between(500, 6_000))
  const pause = (forMs: number) => () =>
    instance.disturb(async () => {
      const { process } = instance.running() ?? {}
      process?.kill('SIGSTOP')
      await sleep(forMs)
      process?.kill('SIGCONT')
    })
  const network = (name: string, begin: Act, end: Act): readonly Mischief[] =>
    instance.proxies.length === 0
      ? []
      : [
          {
            name: `${name} ${instance.name} for ${ms} ms`,
            work: () => onProxies(instance, ms, [begin, end]),
          },
        ]
  return chance.pick<Mischief>([
    { name: `kill -9 ${instance.name}`, work: instance.kill },
    { name: `stop ${instance.name} for ${ms} ms`, work: pause(ms) },
    { name: `stop ${instance.name} past its lease`, work: pause(beyondLeaseMs) },
    ...network(
      'freeze',
      (proxy) => proxy.freeze(),
      (proxy) => proxy.thaw(),
    ),
    ...network(
      'freeze what is open',
      (proxy) => proxy.freezeOpen(),
      (proxy) => proxy.reset(),
    ),
    ...network(
      'slow down',
      (proxy) => proxy.delay(300),
      (proxy) => proxy.delay(0),
    ),
    ...network(
      'cut again and again',
      (proxy) => cutFor(proxy, ms),
      () => undefined,
    ),
    ...(log ? [{ name: `stop the log for ${ms} ms`, work: () => pauseLog(victims, ms) }] : []),
    ...(mongo.length > 0
      ? [
          {
            name: `stop MongoDB for all for ${ms} ms`,
            work: () => whileAway(victims, ms, [freezeAll(mongo), thawAll(mongo)]),
          },
        ]
      : []),
  ])
}

type Act = (proxy: Instance['proxies'][number]) => Promise<void> | void

function onProxies(
  { proxies, disturb }: Instance,
  ms: number,
  [begin, end]: readonly [Act, Act],
): Promise<void> {
  return disturb(async () => {
    await Promise.all([...proxies.map(begin), sleep(ms)])
    await Promise.all(proxies.map(end))
  })
}

async function cutFor(proxy: Instance['proxies'][number], ms: number): Promise<void> {
  const untilMs = performance.now() + ms
  while (performance.now() < untilMs) {
    proxy.reset()
    await sleep(250)
  }
}

type Turn = () => void

function freezeAll(proxies: readonly TcpProxy[]): Turn {
  return () => {
    for (const proxy of proxies) proxy.freeze()
  }
}

function thawAll(proxies: readonly TcpProxy[]): Turn {
  return () => {
    for (const proxy of proxies) proxy.thaw()
  }
}

function pauseLog(victims: Victims, ms: number): Promise<void> {
  return whileAway(victims, ms, [() => victims.log?.pause(), () => victims.log?.resume()])
}

/** What all instances need is away for so long. */
async function whileAway(
  { instances }: Victims,
  ms: number,
  [begin, end]: readonly [Turn, Turn],
): Promise<void> {
  const stopped = async () => {
    begin()
    await sleep(ms)
    end()
  }
  const disturbed = instances.reduce<() => Promise<void>>(
    (work, { disturb }) =>
      () =>
        disturb(work),
    stopped,
  )
  await disturbed()
}
