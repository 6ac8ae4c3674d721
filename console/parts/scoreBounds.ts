/** Computes what missing evidence leaves open of a score. */

/** Scores are from 0 to 100. */
export const clamp = (value: number): number => Math.min(100, Math.max(0, value))

interface Weighed {
  readonly weight: number
  readonly outcome: string
  readonly blocked_by?: string
}

/** The least and the largest score that the rules not evaluated leave open, by their weights alone. */
export function boundsOf(rules: readonly Weighed[]): {
  readonly low: number
  readonly high: number
} {
  let sum = 0
  let up = 0
  let down = 0
  for (const { weight, outcome } of rules) {
    if (outcome === 'TRIGGERED') sum += weight
    if (outcome !== 'NOT_EVALUATED') continue
    if (weight > 0) up += weight
    else down += weight
  }
  return { low: clamp(sum + down), high: clamp(sum + up) }
}

/** The missing names each of which alone, had it arrived, could turn the verdict of the score. */
export function decisiveNames(
  rules: readonly Weighed[],
  { score, threshold }: { readonly score: number; readonly threshold: number },
): readonly string[] {
  const names = new Set(rules.flatMap(({ blocked_by }) => blocked_by ?? []))
  const isFlag = score >= threshold
  return [...names].filter((name) => {
    const arrived = rules.map((rule) =>
      rule.outcome === 'NOT_EVALUATED' && rule.blocked_by !== name
        ? { ...rule, outcome: 'NOT_TRIGGERED' }
        : rule,
    )
    const { low, high } = boundsOf(arrived)
    return isFlag ? low < threshold : high >= threshold
  })
}
