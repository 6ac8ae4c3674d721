/** Adds up the answers of one comparison that came in several. */

import type { ComparisonView } from '../../service/analysis/analysisPart.ts'

type ComparedOutcome = ComparisonView['outcomes'][number]

const examplesMax = 5

/** Both in one: the first is of the newer evaluations, the second of those behind its cursor. */
export function sumComparisons(
  newer: ComparisonView,
  { next_cursor, ...older }: ComparisonView,
): ComparisonView {
  const { next_cursor: _, ...rest } = newer
  return {
    ...rest,
    scanned: newer.scanned + older.scanned,
    agreements: newer.agreements + older.agreements,
    differences: newer.differences + older.differences,
    outcomes: sumOutcomes(newer.outcomes, older.outcomes),
    truncated: older.truncated,
    ...(next_cursor !== undefined && { next_cursor }),
  }
}

function sumOutcomes(
  newer: readonly ComparedOutcome[],
  older: readonly ComparedOutcome[],
): readonly ComparedOutcome[] {
  const sums = new Map<string, ComparedOutcome>()
  for (const outcome of [...newer, ...older]) {
    const key = `${outcome.recipe} ${outcome.with} ${outcome.partial_evidence}`
    const sum = sums.get(key)
    sums.set(key, sum ? added(sum, outcome) : outcome)
  }
  return [...sums.values()]
}

function added(sum: ComparedOutcome, { evaluations, examples }: ComparedOutcome): ComparedOutcome {
  return {
    ...sum,
    evaluations: sum.evaluations + evaluations,
    examples: [...sum.examples, ...examples].slice(0, examplesMax),
  }
}
