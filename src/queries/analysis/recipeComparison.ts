/** Counts the verdicts of two recipes over the evaluations in which both ran. */

import type { Call } from '../../domain/call.ts'
import { invalidRequest, notFound } from '../../domain/failure.ts'
import {
  countSchema,
  openObject,
  optional,
  type TypeOf,
  text,
  timeSchema,
} from '../../domain/jsonSchema.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { verdictSchema } from '../../engine/run/result.ts'
import { rulebookStream } from '../../events/rulebook/rulebook.ts'
import {
  type EvaluationDocument,
  evaluationCollection,
} from '../../projections/evaluation/evaluations.ts'
import type { FoundDocument, Readers } from '../../projections/running/documents.ts'
import type { RulebookStreams } from '../../state/rulebook/rulebookStreams.ts'
import { findPage } from '../reading/page.ts'
import type { HeavyContext, QueryContext } from '../reading/queryContext.ts'

export interface ComparisonQuery {
  readonly recipeId: string
  readonly otherRecipeId: string
  /** Milliseconds since the Unix epoch, included; a week before the end when undefined. */
  readonly fromMs?: number
  /** The same, excluded; now when undefined. */
  readonly toMs?: number
  readonly cursor?: string
}

/** The evaluations in which both recipes came to these verdicts. */
const comparedOutcomeSchema = openObject('ComparedOutcome', {
  recipe: verdictSchema,
  with: verdictSchema,
  partial_evidence: {
    type: 'boolean',
    description: 'Whether a rule of either recipe was not evaluated.',
  },
  evaluations: countSchema,
  examples: { type: 'array', items: text, description: 'Ids of the newest evaluations.' },
})
export type ComparedOutcome = TypeOf<typeof comparedOutcomeSchema>

export const comparisonSchema = openObject('RecipeComparison', {
  recipe_id: text,
  with: text,
  from: timeSchema,
  to: timeSchema,
  scanned: { ...countSchema, description: 'Evaluations compared, newest first; at most 20,000.' },
  agreements: countSchema,
  differences: countSchema,
  outcomes: { type: 'array', items: comparedOutcomeSchema },
  truncated: {
    type: 'boolean',
    description: 'True when there are more evaluations: continue with `cursor` and add up.',
  },
  next_cursor: optional({ type: 'string', description: 'Present when truncated.' }),
})
export type RecipeComparisonView = TypeOf<typeof comparisonSchema>

const weekMs = 7 * 24 * 60 * 60 * 1_000

/** Throws `not_found`, `invalid_request` for a `with` or a time that cannot be used, `unavailable`. */
export async function findComparison(
  context: Pick<RulebookStreams, 'rulebooks'> &
    Pick<QueryContext, 'clock'> &
    HeavyContext<{ compareRecipes: typeof compareRecipes }>,
  call: Call,
  { recipeId, otherRecipeId: withId, ...asked }: ComparisonQuery,
): Promise<RecipeComparisonView> {
  const account = call.principal.accountId
  const { state } = await context.rulebooks.catchUp(rulebookStream(account))
  if (!state.recipes.has(recipeId)) throw notFound()
  if (withId === recipeId || !state.recipes.has(withId)) {
    throw invalidRequest([{ path: 'with', message: 'Must be the id of another recipe.' }])
  }
  // one more, so that what was evaluated just now is in it
  const toMs = asked.toMs ?? context.clock.nowMs() + 1
  const fromMs = asked.fromMs ?? Math.max(0, toMs - weekMs)
  if (fromMs >= toMs) throw invalidRequest([{ path: 'from', message: 'Must be before to.' }])
  const query = { ...asked, account, recipeId, otherRecipeId: withId, fromMs, toMs }
  const found = await context.heavyQueries.compareRecipes(call.principal, query)
  const { nextCursor, scanned, outcomes } = found
  return {
    recipe_id: recipeId,
    with: withId,
    from: isoTime(fromMs),
    to: isoTime(toMs),
    scanned,
    agreements: sumEvaluations(outcomes.filter((outcome) => outcome.recipe === outcome.with)),
    differences: sumEvaluations(outcomes.filter((outcome) => outcome.recipe !== outcome.with)),
    outcomes,
    truncated: nextCursor !== undefined,
    ...(nextCursor !== undefined && { next_cursor: nextCursor }),
  }
}

function sumEvaluations(outcomes: readonly ComparedOutcome[]): number {
  return outcomes.reduce((sum, { evaluations }) => sum + evaluations, 0)
}

/** Evaluations that one question looks at, whether both recipes ran in them or not. */
const comparisonScanMax = 20_000
const pageMax = 500
const examplesMax = 5

interface RecipesQuery
  extends Pick<ComparisonQuery, 'recipeId' | 'otherRecipeId' | 'cursor'>,
    Required<Pick<ComparisonQuery, 'fromMs' | 'toMs'>> {
  readonly account: string
}

export interface RecipeComparison {
  /** Evaluations that were looked at. */
  readonly scanned: number
  /** One for each combination, in a fixed order, also when it never came up. */
  readonly outcomes: readonly ComparedOutcome[]
  /** Present when there is more to look at: the same question goes on there. */
  readonly nextCursor?: string
}

/** Heavy query: from the newest evaluation back. Throws `invalid_request` for an invalid cursor. */
export async function compareRecipes(
  readers: Readers,
  asked: RecipesQuery,
  scanMax: number = comparisonScanMax,
): Promise<RecipeComparison> {
  const { account, fromMs, toMs } = asked
  const where = { account, time: { gte: fromMs, lt: toMs } }
  const outcomes = listEmptyOutcomes()
  let { cursor } = asked
  for (let scanned = 0; ; ) {
    const page = await findPage(readers, evaluationCollection, {
      where,
      sort: ['-time'],
      cursor,
      purpose: [asked.recipeId, asked.otherRecipeId],
      limit: Math.min(pageMax, scanMax - scanned),
    })
    for (const document of page.items) countOutcome(outcomes, document, asked)
    scanned += page.items.length
    cursor = page.nextCursor
    if (cursor === undefined) return { scanned, outcomes }
    if (scanned >= scanMax) return { scanned, outcomes, nextCursor: cursor }
  }
}

interface Tally extends ComparedOutcome {
  evaluations: number
  readonly examples: string[]
}

function listEmptyOutcomes(): readonly Tally[] {
  const verdicts = verdictSchema.enum
  return verdicts.flatMap((recipe) =>
    verdicts.flatMap((other) =>
      [false, true].map((partial_evidence) => ({
        recipe,
        with: other,
        partial_evidence,
        evaluations: 0,
        examples: [],
      })),
    ),
  )
}

function countOutcome(
  outcomes: readonly Tally[],
  { id, body: { recipes } }: FoundDocument<EvaluationDocument>,
  { recipeId, otherRecipeId: withId }: RecipesQuery,
): void {
  const one = recipes.find(({ recipe_id }) => recipe_id === recipeId)
  const other = recipes.find(({ recipe_id }) => recipe_id === withId)
  const counted = outcomes.find(
    (outcome) =>
      outcome.recipe === one?.verdict &&
      outcome.with === other?.verdict &&
      outcome.partial_evidence === (one.partial || other.partial),
  )
  if (!counted) return
  counted.evaluations += 1
  if (counted.examples.length < examplesMax) counted.examples.push(id)
}
