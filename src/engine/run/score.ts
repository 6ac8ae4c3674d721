/** The bounds of a score (spec 2.5). */

const scoreMin = 0
const scoreMax = 100

/** The sum of weights within the bounds of a score. */
export function clampScore(sum: number): number {
  return Math.min(scoreMax, Math.max(scoreMin, sum))
}
