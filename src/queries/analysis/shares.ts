/** Computes shares of labelled evaluations with their Wilson intervals. */

import { countSchema, openObject, type TypeOf } from '../../domain/jsonSchema.ts'

const number = { type: 'number' } as const

/** A share, 0 to 1, or the ratio of two. */
export const shareSchema = openObject('Share', {
  value: number,
  low: { ...number, description: 'The lower end of the 95% interval (Wilson).' },
  high: { ...number, description: 'The upper end of it.' },
  of: { ...countSchema, description: 'Evaluations that it is a share of.' },
})
export type Share = TypeOf<typeof shareSchema>

/** The quantile of the normal distribution for 95% between both ends. */
const z = 1.959963984540054

/** The share with its Wilson interval, which stays within 0 and 1 for any number; null of none. */
export function computeShare(count: number, of: number): Share | null {
  if (of === 0) return null
  const value = count / of
  const middle = value + z ** 2 / (2 * of)
  const spread = z * Math.sqrt((value * (1 - value) + z ** 2 / (4 * of)) / of)
  const scale = 1 + z ** 2 / of
  return {
    value,
    low: count === 0 ? 0 : (middle - spread) / scale,
    high: count === of ? 1 : (middle + spread) / scale,
    of,
  }
}
