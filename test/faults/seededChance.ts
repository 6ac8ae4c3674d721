/** Chance that is the same for the same seed: what a run does to a service can be done again. */

export interface SeededChance {
  /** At least `min`, less than `max`. */
  readonly between: (min: number, max: number) => number
  readonly pick: <One>(list: readonly One[]) => One
}

/** Mulberry32. */
export function seededChance(seed: number): SeededChance {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    between: (min, max) => min + next() * (max - min),
    pick: (list) => {
      const found = list[Math.floor(next() * list.length)]
      if (found === undefined) throw new Error('there is nothing to pick')
      return found
    },
  }
}
