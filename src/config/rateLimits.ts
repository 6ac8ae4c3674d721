/** Reads rate limits (`50` or `50:200`) from environment variables. */

import type { Reading } from './reading.ts'

/** Requests a second, and how many at once after a rest. */
export interface RateSetting {
  readonly perSecond: number
  readonly burst: number
}

type RateName = Extract<Parameters<Reading['text']>[0], `${string}_RATE_LIMIT`>

const rateMax = 100_000

/** `50` or `50:200`; undefined when there is none, or when it is none, which is a mistake. */
export function readRateLimit(
  { text, mistakes }: Reading,
  name: RateName,
): RateSetting | undefined {
  const given = text(name)
  if (given === undefined) return undefined
  const [, rate, burst = rate] = /^(\d{1,6})(?::(\d{1,6}))?$/.exec(given) ?? []
  const limit = { perSecond: Number(rate), burst: Number(burst) }
  const { perSecond } = limit
  if (perSecond >= 1 && perSecond <= limit.burst && limit.burst <= rateMax) return limit
  mistakes.push(
    `${name} must be requests per second, such as 50, or with a burst at least as large, such as 50:200, up to ${rateMax}.`,
  )
  return undefined
}
