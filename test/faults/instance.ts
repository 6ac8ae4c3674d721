/** One instance of the built service, and what can be done to it. */

import { type StartedVigil, startVigil } from '../support/startedVigil.ts'
import type { TcpProxy } from '../support/tcpProxy.ts'

export interface Instance {
  readonly name: string
  readonly folder: string
  /** Between it and its stores. */
  readonly proxies: readonly TcpProxy[]
  /** The running process; undefined while there is none. */
  readonly running: () => StartedVigil | undefined
  /** Sentences: processes that ended although nobody ended them. */
  readonly deaths: readonly string[]
  /** Since when nothing was done to it or its connections, by `performance.now`; infinite while something is. */
  readonly calmSinceMs: () => number
  /** Starts it unless it runs; rejects with what it printed when it does not become ready. */
  readonly start: () => Promise<void>
  /** Ends it at once. */
  readonly kill: () => Promise<void>
  /** Ends it in order; answers its exit code. */
  readonly stop: () => Promise<number | null>
  /** Does it to the instance, which is not calm until it is over. */
  readonly disturb: (work: () => Promise<void>) => Promise<void>
}

export interface InstanceOptions {
  readonly name: string
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly proxies: readonly TcpProxy[]
}

type Start = (folder: string, env: InstanceOptions['environment']) => Promise<StartedVigil>

/** Of what an instance has printed, the end. */
const shownChars = 1_000

export function openInstance(
  { name, folder, environment, proxies }: InstanceOptions,
  start: Start = startVigil,
): Instance {
  let running: StartedVigil | undefined
  const deaths: string[] = []
  const watch = (started: StartedVigil): void => {
    started.process.once('exit', (code, signal) => {
      if (running !== started) return
      running = undefined
      const last = started.printed().slice(-shownChars)
      deaths.push(`${name} ended by itself with ${signal ?? code}: ${last}`)
    })
  }
  let disturbing = 0
  let calmSinceMs = performance.now()
  const disturb = async (work: () => Promise<void>): Promise<void> => {
    disturbing += 1
    try {
      await work()
    } finally {
      disturbing -= 1
      calmSinceMs = performance.now()
    }
  }
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    const ended = running
    running = undefined
    return (await ended?.stop(signal)) ?? null
  }
  return {
    name,
    folder,
    proxies,
    disturb,
    deaths,
    running: () => running,
    calmSinceMs: () => (disturbing > 0 ? Number.POSITIVE_INFINITY : calmSinceMs),
    start: async () => {
      if (running) return
      await disturb(async () => {
        running = await start(folder, environment)
        watch(running)
      })
    },
    kill: () =>
      disturb(async () => {
        await end('SIGKILL')
      }),
    stop: () => end('SIGTERM'),
  }
}
