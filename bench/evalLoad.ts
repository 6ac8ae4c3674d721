/** Evaluations asked of a server over HTTP for a while, and the processor time that it took. */

import type { Helper } from './childProcess.ts'
import { connections, type Loaded, peopleCount } from './evalFigures.ts'
import type { LoadOrder, LoadReport } from './loadGenerator.ts'
import { processorTimeOf, spentBetween } from './processorTime.ts'
import type { Shop } from './shop.ts'

/** A server that is asked. */
export interface Server {
  readonly port: number
  readonly pid: number
}

/** Who asks, for what, and for how long. */
export interface Asked {
  readonly load: Helper
  readonly shop: Shop
  readonly durationMs: number
}

export type People = Partial<
  Pick<LoadOrder, 'from' | 'isEachNew' | 'peopleCount' | 'perSecond' | 'connections'>
>

/**
 * People beyond those that everybody has seen before, made beforehand for each second: more than are evaluated in it.
 */
const newPeoplePerSecond = 8_000

/** Loads the server for a while; of the same people again and again unless others are given. */
export async function loadEvals(
  { load, shop: { token, flow }, durationMs }: Asked,
  { port, pid }: Server,
  people: People = {},
): Promise<Loaded> {
  const before = processorTimeOf(pid)
  const asked = { token, flows: [flow], connections, port, durationMs }
  const order: LoadOrder = { ...asked, peopleCount, ...people }
  const report = await load.ask<LoadReport>(order)
  const spent = spentBetween(before, processorTimeOf(pid), pid)
  return { ...report, processorUs: spent.map((us) => us / report.requests) }
}

/** People of whom nobody was evaluated before, for so long; none of them twice. */
export function openNewPeople(durationMs: number): {
  /** For the next load. */
  readonly next: () => People
  /** To be told how many of them were evaluated. */
  readonly taken: (requests: number) => void
} {
  const many = Math.ceil((newPeoplePerSecond * durationMs) / 1_000)
  let from = peopleCount
  return {
    next: () => ({ from, isEachNew: true, peopleCount: many }),
    taken: (requests) => {
      from += Math.max(many, requests)
    },
  }
}

/** The body of an answer as it went over the wire. */
export function bodyOf(answer: Uint8Array): Buffer {
  const whole = Buffer.from(answer)
  return whole.subarray(whole.indexOf('\r\n\r\n') + 4)
}
