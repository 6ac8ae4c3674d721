/** Adds up the answers of one comparison that came in several. */

import type { ComparedAnswer, ComparisonAnswer } from '../connecting/answers.ts'

const examplesMax = 5

/** Both in one: the first is of the newer evaluations, the second of those behind its cursor. */
export function sumComparisons(
  newer: ComparisonAnswer,
  { next_cursor, ...older }: ComparisonAnswer,
): ComparisonAnswer {
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
  newer: readonly ComparedAnswer[],
  older: readonly ComparedAnswer[],
): readonly ComparedAnswer[] {
  const sums = new Map<string, ComparedAnswer>()
  for (const outcome of [...newer, ...older]) {
    const key = `${outcome.recipe} ${outcome.with} ${outcome.partial_evidence}`
    const sum = sums.get(key)
    sums.set(key, sum ? added(sum, outcome) : outcome)
  }
  return [...sums.values()]
}

function added(sum: ComparedAnswer, { evaluations, examples }: ComparedAnswer): ComparedAnswer {
  return {
    ...sum,
    evaluations: sum.evaluations + evaluations,
    examples: [...sum.examples, ...examples].slice(0, examplesMax),
  }
}
