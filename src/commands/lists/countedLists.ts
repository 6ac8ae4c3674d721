/** Counts the values of lists: once in the read models, then by the events that follow. */

import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../domain/failure.ts'

export interface CountedLists {
  /** How many values it has, of a full list only that it is full; undefined while it cannot be counted, or not soon. */
  readonly size: (name: string) => Promise<number | undefined>
  /** So many more values were heard of. */
  readonly change: (name: string, by: number) => void
  readonly isEmpty: () => boolean
  readonly clear: () => void
}

export interface CountedListsOptions {
  /** Counts the values of a list in the read models. Throws `unavailable`. */
  readonly count: (name: string) => Promise<number>
  /** So many are a full list: it may seem so by what was heard, and is counted anew before anybody is told. */
  readonly full: number
  /** A clock that never goes back. */
  readonly nowMs: () => number
  /** How long somebody waits for a count that goes on without them. */
  readonly waitMs?: number
}

interface Counted {
  /** Undefined when it could not be counted. */
  size: number | undefined
  readonly atMs: number
}

/** Counts of lists that are kept, of some hundred bytes each. */
const countedMax = 10_000
/** How long a full list is not counted again, nor one that could not be. */
const fullMs = 60_000
const unknownMs = 5_000

export function openCountedLists(options: CountedListsOptions): CountedLists {
  const { full, nowMs, waitMs = 2_000 } = options
  const counted = new Map<string, Counted>()
  const underWay = new Map<string, Promise<void>>()
  let cleared = 0

  const keep = (name: string, size: number | undefined): void => {
    const [first] = counted.keys()
    if (counted.size >= countedMax && first !== undefined) counted.delete(first)
    counted.set(name, { size, atMs: nowMs() })
  }

  const count = async (name: string): Promise<void> => {
    const before = cleared
    const size = await options.count(name).catch(asUnknown)
    if (before === cleared) keep(name, size)
  }

  const countOnce = (name: string): Promise<void> => {
    const known = underWay.get(name)
    if (known) return known
    const started = count(name).finally(() => underWay.delete(name))
    underWay.set(name, started)
    return started
  }

  const isFresh = ({ size, atMs }: Counted): boolean => {
    const lastsMs = size === undefined ? unknownMs : size < full ? Number.POSITIVE_INFINITY : fullMs
    return nowMs() < atMs + lastsMs
  }

  return {
    size: async (name) => {
      const known = counted.get(name)
      if (known && isFresh(known)) return known.size
      const isCounted = await endsWithin(waitMs, countOnce(name))
      if (!isCounted && !counted.has(name)) keep(name, undefined)
      return isCounted ? counted.get(name)?.size : undefined
    },
    change: (name, by) => {
      const known = counted.get(name)
      if (known?.size !== undefined) known.size = Math.max(0, known.size + by)
    },
    isEmpty: () => counted.size === 0,
    clear: () => {
      cleared += 1
      counted.clear()
    },
  }
}

async function endsWithin(ms: number, work: Promise<void>): Promise<boolean> {
  const late = new AbortController()
  try {
    return await Promise.race([work.then(() => true), sleep(ms, false, late)])
  } finally {
    late.abort()
  }
}

function asUnknown(error: unknown): undefined {
  if (error instanceof Failure && error.code === 'unavailable') return undefined
  throw error
}
