/** How long the neighbour waited, and how much longer than alone. */

import { quantile } from '../statistics.ts'

/** One question of the neighbour; in milliseconds of one clock. */
export interface Asked {
  /** When it was to be sent: what keeps it from being sent counts. */
  readonly dueMs: number
  /** When it was answered well; never, when it was refused or broken off. */
  answeredMs?: number
  /** For how much of its wait the service had something to do and no processor to do it on; 0 where nobody knows. */
  starvedMs?: number
  /** What it was answered in place of a good answer; 0 when the connection broke. */
  refused?: number
}

export interface Waits {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /**
   * The longest without what the service was kept from its processors: what an idle machine would have shown, or less.
   */
  readonly unstarvedMaxMs: number
  readonly asked: number
  /** Without a good answer when the time was over. */
  readonly unanswered: number
  /** The statuses of those that were refused. */
  readonly refused: readonly number[]
}

/** A question without a good answer has waited until the end. Throws when nothing was asked. */
export function waitsOf(asked: readonly Asked[], endMs: number): Waits {
  const waits = asked.map(({ dueMs, answeredMs = endMs }) => answeredMs - dueMs)
  return {
    p50Ms: quantile(waits, 0.5),
    p99Ms: quantile(waits, 0.99),
    maxMs: quantile(waits, 1),
    unstarvedMaxMs: Math.max(...waits.map((ms, at) => ms - (asked[at]?.starvedMs ?? 0)), 0),
    asked: asked.length,
    unanswered: asked.filter(({ answeredMs }) => answeredMs === undefined).length,
    refused: asked.flatMap(({ refused }) => (refused === undefined ? [] : [refused])),
  }
}

/** By how much the longest of a hundred, and the longest of all, waited longer than alone. */
export interface Extra {
  readonly p99Ms: number
  readonly maxMs: number
  readonly unstarvedMaxMs: number
}

/** Nothing is ever answered faster for being attacked: less than alone is noise, and no wait. */
export function extraOf(attacked: Waits, alone: Waits): Extra {
  return {
    p99Ms: Math.max(0, attacked.p99Ms - alone.p99Ms),
    maxMs: Math.max(0, attacked.maxMs - alone.maxMs),
    unstarvedMaxMs: Math.max(0, attacked.unstarvedMaxMs - alone.unstarvedMaxMs),
  }
}
