/** Adds up counts of verdicts, and computes their shares, and medians of merged histograms. */

import {
  asSchemaOf,
  countSchema,
  type ObjectOf,
  openObject,
  type TypeOf,
} from '../../../domain/jsonSchema.ts'
import type { RecipeCounts } from '../../../projections/analysis/counts.ts'

export const flowFigureFields = {
  evaluations: countSchema,
  flagged: countSchema,
  share: {
    type: ['number', 'null'] as const,
    description: 'Of the evaluations, those flagged, 0 to 1; null of none.',
  },
  fragile: {
    ...countSchema,
    description: 'Verdicts that some outcome of the rules not evaluated would turn.',
  },
}
export type FlowFigures = ObjectOf<typeof flowFigureFields>

export const recipeFigureFields = {
  ...flowFigureFields,
  partial: { ...countSchema, description: 'Evaluations in which a rule was not evaluated.' },
  overridden: {
    ...countSchema,
    description: 'Verdicts that a rule decided in place of the score.',
  },
  median_score: asSchemaOf<number | null>({
    type: ['integer', 'null'],
    description: 'Of the scores that decided; of an even number the lower middle; null of none.',
  }),
}
export type RecipeFigures = ObjectOf<typeof recipeFigureFields>

const scoreBin = openObject('ScoreBin', { score: countSchema, evaluations: countSchema })
export const histogramSchema = {
  type: 'array',
  items: scoreBin,
  description: 'The scores that decided, ascending; a score that none had is left out.',
} as const

/** Counts of a flow or of a recipe; a flow leaves `partial`, `overridden` and `scores` alone. */
export interface Tally {
  evaluations: number
  flagged: number
  fragile: number
  partial: number
  overridden: number
  /** How many evaluations had each score. */
  readonly scores: Map<number, number>
}

export function createTally(): Tally {
  const none = { evaluations: 0, flagged: 0, fragile: 0, partial: 0, overridden: 0 }
  return { ...none, scores: new Map() }
}

interface Counted extends Pick<RecipeCounts, 'flagged' | 'fragile'> {
  readonly evaluations: number
}

/** Adds evaluations to the tally. */
export function addCounts(tally: Tally, counted: Counted & Partial<RecipeCounts>): void {
  const { partial = 0, overridden = 0, scores = [] } = counted
  tally.evaluations += counted.evaluations
  tally.flagged += counted.flagged
  tally.fragile += counted.fragile
  tally.partial += partial
  tally.overridden += overridden
  for (const [score, count] of scores) {
    tally.scores.set(score, (tally.scores.get(score) ?? 0) + count)
  }
}

export function computeFlowFigures({ evaluations, flagged, fragile }: Tally): FlowFigures {
  return { evaluations, flagged, share: evaluations === 0 ? null : flagged / evaluations, fragile }
}

export function computeRecipeFigures(tally: Tally): RecipeFigures {
  const { partial, overridden } = tally
  const median_score = findMedian(buildHistogram(tally))
  return { ...computeFlowFigures(tally), partial, overridden, median_score }
}

/** The scores of the tally, ascending. */
export function buildHistogram({ scores }: Tally): readonly TypeOf<typeof scoreBin>[] {
  return [...scores]
    .toSorted(([one], [other]) => one - other)
    .map(([score, evaluations]) => ({ score, evaluations }))
}

/** The lower middle. */
function findMedian(histogram: ReturnType<typeof buildHistogram>): number | null {
  const total = histogram.reduce((sum, { evaluations }) => sum + evaluations, 0)
  let left = Math.ceil(total / 2)
  for (const { score, evaluations } of histogram) {
    left -= evaluations
    if (left <= 0) return score
  }
  return null
}
