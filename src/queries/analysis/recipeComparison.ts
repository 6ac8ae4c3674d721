/** Counts the verdicts of two recipes over the evaluations in which both ran (heavy query). */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { count, openObject, type TypeOf, text } from '../../domain/schema.ts'
import type { Verdict } from '../../engine/run/result.ts'
import {
  type EvaluatedRecipe,
  type EvaluationDocument,
  evaluationCollection,
} from '../../projections/evaluation/evaluations.ts'
import type { Found, Readers } from '../reading/documents.ts'
import { findPage } from '../reading/page.ts'

/** Evaluations that one question looks at, whether both recipes ran in them or not. */
const comparisonScanMax = 20_000
const pageMax = 500
const examplesMax = 5

export interface ComparisonAsked {
  readonly account: string
  readonly recipeId: string
  readonly withId: string
  /** Milliseconds since the Unix epoch, the first included. */
  readonly fromMs: number
  /** The same, excluded. */
  readonly toMs: number
  readonly cursor?: string
}

/** The evaluations in which both recipes came to these verdicts. */
const verdict = { type: 'string', enum: ['PASS', 'FLAG'] } as const

export const comparedOutcomeSchema = openObject('ComparedOutcome', {
  recipe: verdict,
  with: verdict,
  partial_evidence: {
    type: 'boolean',
    description: 'Whether a rule of either recipe was not evaluated.',
  },
  evaluations: count,
  examples: {
    type: 'array',
    items: text,
    description: 'Ids of the newest evaluations.',
  },
})
export type ComparedOutcome = TypeOf<typeof comparedOutcomeSchema>

export interface RecipeComparison {
  /** Evaluations that were looked at. */
  readonly scanned: number
  /** One for each combination, in a fixed order, also when it never came up. */
  readonly outcomes: readonly ComparedOutcome[]
  /** Present when there is more to look at: the same question goes on there. */
  readonly nextCursor?: string
}

/** From the newest evaluation back. Throws `invalid_request` for an invalid cursor. */
export async function compareRecipes(
  readers: Readers,
  asked: ComparisonAsked,
  scanMax: number = comparisonScanMax,
): Promise<RecipeComparison> {
  const { account, fromMs, toMs } = asked
  const where = { account, time: { gte: fromMs, lt: toMs } }
  const tally = newTally()
  let { cursor } = asked
  for (let scanned = 0; ; ) {
    const page = await findPage(readers, evaluationCollection, {
      where,
      sort: ['-time'],
      purpose: [asked.recipeId, asked.withId],
      limit: Math.min(pageMax, scanMax - scanned),
      ...(cursor !== undefined && { cursor }),
    })
    for (const document of page.items) countOutcome(tally, document, asked)
    scanned += page.items.length
    const outcomes = [...tally.values()]
    cursor = page.nextCursor
    if (cursor === undefined) return { scanned, outcomes }
    if (scanned >= scanMax) return { scanned, outcomes, nextCursor: cursor }
    // the embedded store answers at once; others get their turn between two pages
    await nextTurn()
  }
}

type Tally = Map<string, ComparedOutcome & { evaluations: number; readonly examples: string[] }>

const verdicts: readonly Verdict[] = ['PASS', 'FLAG']

function newTally(): Tally {
  const tally: Tally = new Map()
  for (const recipe of verdicts) {
    for (const other of verdicts) {
      for (const partial_evidence of [false, true]) {
        const counted = { recipe, with: other, partial_evidence, evaluations: 0, examples: [] }
        tally.set(keyOf(counted), counted)
      }
    }
  }
  return tally
}

function keyOf(outcome: Pick<ComparedOutcome, 'recipe' | 'with' | 'partial_evidence'>): string {
  return `${outcome.recipe} ${outcome.with} ${outcome.partial_evidence}`
}

function countOutcome(
  tally: Tally,
  { id, body }: Found<EvaluationDocument>,
  asked: ComparisonAsked,
): void {
  const one = ranAs(body.recipes, asked.recipeId)
  const other = ranAs(body.recipes, asked.withId)
  if (!one || !other) return
  const partial_evidence = one.partial || other.partial
  const counted = tally.get(keyOf({ recipe: one.verdict, with: other.verdict, partial_evidence }))
  if (!counted) return
  counted.evaluations += 1
  if (counted.examples.length < examplesMax) counted.examples.push(id)
}

function ranAs(recipes: readonly EvaluatedRecipe[], id: string): EvaluatedRecipe | undefined {
  return recipes.find(({ recipe_id }) => recipe_id === id)
}
