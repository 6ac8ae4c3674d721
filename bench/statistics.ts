/** The few statistics the table is made of. */

export interface Spread {
  readonly min: number
  readonly lower: number
  readonly median: number
  readonly upper: number
  readonly max: number
}

/**
 * The value below which a share of the values lies, interpolated between its neighbours; `share` from 0 to 1. Throws
 * when there are none.
 */
export function quantile(values: readonly number[], share: number): number {
  return quantileOfSorted([...values].sort(rising), share)
}

/** Extremes, quartiles and median. Throws when there are no values. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort(rising)
  return {
    min: quantileOfSorted(sorted, 0),
    lower: quantileOfSorted(sorted, 0.25),
    median: quantileOfSorted(sorted, 0.5),
    upper: quantileOfSorted(sorted, 0.75),
    max: quantileOfSorted(sorted, 1),
  }
}

/** The middle one of the values. Throws when there are none. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** Each value over its partner of the same round. Throws when they are not as many. */
export function ratios(values: readonly number[], others: readonly number[]): readonly number[] {
  if (values.length !== others.length) throw new Error('not as many values on both sides')
  return values.map((value, round) => value / (others[round] as number))
}

function quantileOfSorted(sorted: readonly number[], share: number): number {
  if (sorted.length === 0) throw new Error('no values')
  const place = (sorted.length - 1) * share
  const below = sorted[Math.floor(place)] as number
  const above = sorted[Math.ceil(place)] as number
  return below + (above - below) * (place - Math.floor(place))
}

function rising(a: number, b: number): number {
  return a - b
}
