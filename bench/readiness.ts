/** How far the projections of a started service are behind its log. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Readiness } from '../src/queries/operations/readiness.ts'

const askEveryMs = 20
const settleMs = 600_000

/** For how many seconds the oldest event has waited that a projection has yet to handle. */
export async function lagOf(port: number): Promise<number> {
  const { projections } = await readiness(port)
  return Math.max(...projections.map(({ lag_seconds }) => lag_seconds ?? Number.NaN))
}

/** Resolves when the service is ready and no projection is behind. */
export async function settled(port: number, withinMs = settleMs): Promise<void> {
  const deadlineMs = performance.now() + withinMs
  while (performance.now() < deadlineMs) {
    const { ready, projections } = await readiness(port)
    if (ready && projections.every(({ lag_seconds }) => lag_seconds === 0)) return
    await sleep(askEveryMs)
  }
  throw new Error('the projections did not catch up')
}

async function readiness(port: number): Promise<Readiness> {
  const answer = await fetch(`http://127.0.0.1:${port}/health/ready`)
  return (await answer.json()) as Readiness
}
