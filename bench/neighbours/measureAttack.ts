/** One attack on a service of its own: how the quiet neighbour fared alone, beside it, and what it left in memory. */

import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Helper,
  type Started,
  startHelper,
  startVigil,
  temporaryFolder,
} from '../childProcess.ts'
import { openAccount, openShop, type Shop } from '../shop.ts'
import { sixtyRules } from '../sixtyRules.ts'
import type { AttackOrder } from './attackerProcess.ts'
import { commitsOf, longestCommitMs } from './commits.ts'
import type { DiskOrder, DiskReport } from './diskProcess.ts'
import type { QuietOrder, QuietReport } from './quietProcess.ts'
import { collectsOnSignal, type HeldMemory, memoryOf } from './serviceMemory.ts'

export interface Observed extends QuietReport {
  /** Milliseconds of the longest write and sync of a plain file on the same disk, meanwhile. */
  readonly diskMs: number
  /** Milliseconds that no commit of the log took longer than. */
  readonly commitMs: number
}

export interface Measured {
  readonly alone: Observed
  readonly attacked: Observed
  readonly before: HeldMemory
  /** Undefined when the service ended under the attack. */
  readonly after: HeldMemory | undefined
  /** What the attacker was answered. */
  readonly answered: string
}

/** What a small container leaves the service, so that one that holds what it need not ends before the attack does. */
export const heapMiB = 512
const attackerScopes = ['eval', 'feedback', 'author', 'analyse', 'audit']
/** An attack that the service answers this slowly is over. */
const attackMaxMs = 120_000
/** For what was asked last to be answered, and for what follows an attack (projections) to begin. */
const settleMs = 500

/** Opens a service with two accounts and has one attack the other. Rejects when the attack itself is wrong. */
export async function measureAttack(order: {
  readonly attack: string
  readonly durationMs: number
}): Promise<Measured> {
  const folder = temporaryFolder()
  const flags = [`--max-old-space-size=${heapMiB}`, ...collectsOnSignal]
  const vigil = await startVigil(folder.path, flags)
  const quiet = startHelper('./neighbours/quietProcess.ts')
  const disk = startHelper('./neighbours/diskProcess.ts')
  const attacker = startHelper('./neighbours/attackerProcess.ts', { givesWay: true })
  try {
    const shop = await openShop(vigil.port, sixtyRules)
    const { token } = await openAccount(vigil.port, attackerScopes)
    const neighbour: Neighbour = { quiet, disk, folder: folder.path, vigil, shop }
    // the first evaluations meet code that is not compiled yet
    await observe(neighbour, () => sleep(order.durationMs / 2))
    const alone = await observe(neighbour, () => sleep(order.durationMs))
    const before = await memoryOf(vigil)
    let answered = ''
    const attacked = await observe(neighbour, async () => {
      answered = await attackWith(attacker, vigil, { ...order, port: vigil.port, token })
      await sleep(settleMs)
    })
    const after = (await isLive(vigil.port)) ? await memoryOf(vigil) : undefined
    return { alone, attacked, before, after, answered }
  } finally {
    await attacker.stop()
    await quiet.stop()
    await disk.stop()
    await vigil.stop()
    folder.remove()
  }
}

interface Neighbour {
  readonly quiet: Helper
  readonly disk: Helper
  readonly folder: string
  readonly vigil: Started
  readonly shop: Shop
}

async function observe(
  { quiet, disk, folder, vigil: { port, pid }, shop: { token, flow } }: Neighbour,
  during: () => Promise<void>,
): Promise<Observed> {
  const before = await commitsOf(port)
  await disk.ask({ do: 'begin', folder } satisfies DiskOrder)
  await quiet.ask({ do: 'begin', port, pid, token, flow } satisfies QuietOrder)
  await during()
  const report = await quiet.ask<QuietReport>({ do: 'end' } satisfies QuietOrder)
  const diskMs = await disk.ask<DiskReport>({ do: 'end' } satisfies DiskOrder)
  // a service that has ended has no more to tell
  const after = (await isLive(port)) ? await commitsOf(port) : before
  return { ...report, diskMs, commitMs: longestCommitMs(before, after) }
}

async function attackWith(attacker: Helper, vigil: Started, order: AttackOrder): Promise<string> {
  const stopped = new AbortController()
  const late = sleep(attackMaxMs, `still not over after ${attackMaxMs / 1000} s`, {
    signal: stopped.signal,
  })
  try {
    return await Promise.race([attacker.ask<string>(order), late])
  } catch (error) {
    // an attack whose victim is gone reads answers that never came
    if (await isLive(vigil.port)) throw error
    return 'the service ended'
  } finally {
    stopped.abort()
    late.catch(() => undefined)
  }
}

async function isLive(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health/live`)).ok
  } catch {
    return false
  }
}
