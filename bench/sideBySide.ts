/**
 * Measures several ways of doing the same thing in turns, so that what slows the machine down for a while slows all of
 * them.
 */

import { median } from './statistics.ts'

/** Does the work so many times. */
export type Subject = (times: number) => void | Promise<void>

export interface Rounds {
  readonly rounds: number
  /** How long one subject works in one round. */
  readonly roundMs: number
}

const nsPerMs = 1e6
/** Calls before the first measurement, as a share of a round. */
const warmUpRounds = 2

/**
 * Nanoseconds of one piece of work, for every subject and round. The order turns with every round, so that no subject
 * is always the one after the same other.
 */
export async function sideBySide<Name extends string>(
  subjects: Readonly<Record<Name, Subject>>,
  { rounds, roundMs }: Rounds,
): Promise<Readonly<Record<Name, readonly number[]>>> {
  const names = Object.keys(subjects) as Name[]
  const times = new Map<Name, number>()
  for (const name of names) times.set(name, await timesWithin(subjects[name], roundMs))
  const measured = Object.fromEntries(names.map((name) => [name, [] as number[]]))
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(round + turn) % names.length] as Name
      const count = times.get(name) ?? 1
      measured[name]?.push((await nsOf(subjects[name], count)) / count)
    }
  }
  return measured as Record<Name, number[]>
}

/** How often the work can be done in that time, once it is warm. */
async function timesWithin(subject: Subject, ms: number): Promise<number> {
  let times = 1
  for (;;) {
    const ns = await nsOf(subject, times)
    if (ns >= ms * nsPerMs * 0.5) break
    times = Math.ceil(times * Math.min(10, Math.max(2, (ms * nsPerMs) / Math.max(ns, 1))))
  }
  const warm: number[] = []
  for (let round = 0; round < warmUpRounds; round += 1) warm.push(await nsOf(subject, times))
  return Math.max(1, Math.round((times * ms * nsPerMs) / median(warm)))
}

async function nsOf(subject: Subject, times: number): Promise<number> {
  const begun = process.hrtime.bigint()
  const done = subject(times)
  if (done !== undefined) await done
  return Number(process.hrtime.bigint() - begun)
}
