/** Folds evaluations into how often two recipes came to each pair of verdicts. */

import { type Verdict, verdictSchema } from '../../../engine/run/result.ts'
import { addOne, type ByClass, countNone } from './foldRules.ts'
import type { Fold } from './folds.ts'

export interface ComparisonOrder {
  readonly recipeId: string
  readonly otherRecipeId: string
}

/** The evaluations in which both came to these verdicts. */
export interface ComparedTally {
  readonly recipe: Verdict
  readonly with: Verdict
  /** Whether a rule of either recipe was not evaluated. */
  readonly partial_evidence: boolean
  readonly evaluations: ByClass
  /** Ids of the first ones. */
  readonly examples: string[]
}

export interface ComparisonFolded {
  /** Evaluations that were looked at, whether both ran in them or not. */
  scanned: number
  readonly outcomes: readonly ComparedTally[]
}

/** Ids of one outcome that are kept. */
export const comparedExamplesMax = 5

export function foldComparison({
  recipeId,
  otherRecipeId,
}: ComparisonOrder): Fold<ComparisonFolded> {
  const folded = createComparison()
  return {
    needs: { reports: true },
    add: (one) => {
      folded.scanned += 1
      const recipe = one.body.recipes.find(({ recipe_id }) => recipe_id === recipeId)
      const other = one.body.recipes.find(({ recipe_id }) => recipe_id === otherRecipeId)
      if (!recipe || !other) return
      const isPartial = recipe.partial || other.partial
      const tally = folded.outcomes.find(
        (outcome) =>
          outcome.recipe === recipe.verdict &&
          outcome.with === other.verdict &&
          outcome.partial_evidence === isPartial,
      )
      addOne(tally?.evaluations, one)
      if (tally && tally.examples.length < comparedExamplesMax) tally.examples.push(one.id)
    },
    take: () => folded,
  }
}

/** One outcome for each combination, in a fixed order. */
export function createComparison(): ComparisonFolded {
  const verdicts = verdictSchema.enum
  const outcomes = verdicts.flatMap((recipe) =>
    verdicts.flatMap((other) =>
      [false, true].map((partial_evidence) => ({
        ...{ recipe, with: other, partial_evidence },
        ...{ evaluations: countNone(), examples: [] },
      })),
    ),
  )
  return { scanned: 0, outcomes }
}
