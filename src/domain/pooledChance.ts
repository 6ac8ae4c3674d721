/** Chance that asks the system for many bytes at a time, since one call for a few costs as much as one for thousands. */

import type { Chance } from './clock.ts'

/** Bytes asked for at a time. */
const poolBytes = 4096
/** Larger wishes go to the source itself. */
const pooledMax = 64

/** The same chance; no byte is given twice, and none stays in the pool once it is given. */
export function pooledChance(source: Chance): Chance {
  let pool = new Uint8Array(0)
  let next = 0

  return {
    bytes: (count) => {
      if (count > pooledMax) return source.bytes(count)
      if (next + count > pool.length) {
        pool = Uint8Array.from(source.bytes(poolBytes))
        next = 0
      }
      const given = pool.slice(next, next + count)
      pool.fill(0, next, next + count)
      next += count
      return given
    },
  }
}
