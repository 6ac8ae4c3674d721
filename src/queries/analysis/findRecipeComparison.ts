/** Returns how often two recipes agreed, over the evaluations in which both ran. */

import type { RulebookStreams } from '../../commands/rulebook/rulebookStreams.ts'
import type { Asking, Call, Seen } from '../../domain/call.ts'
import { invalidRequest, notFound } from '../../domain/failure.ts'
import { count, openObject, optional, type TypeOf, text, timeText } from '../../domain/schema.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { rulebookStream } from '../../events/rulebook/rulebook.ts'
import type { QueryContext } from '../reading/context.ts'
import { reached } from '../reading/reached.ts'
import { type ComparedOutcome, comparedOutcomeSchema, compareRecipes } from './recipeComparison.ts'

export interface ComparisonAsked extends Asking {
  readonly recipeId: string
  readonly withId: string
  /** Milliseconds since the Unix epoch, included; a week before the end when undefined. */
  readonly fromMs?: number
  /** The same, excluded; now when undefined. */
  readonly toMs?: number
  readonly cursor?: string
}

export const comparisonSchema = openObject('RecipeComparison', {
  recipe_id: text,
  with: text,
  from: timeText,
  to: timeText,
  scanned: {
    ...count,
    description: 'Evaluations compared, newest first; at most 20,000.',
  },
  agreements: count,
  differences: count,
  outcomes: { type: 'array', items: comparedOutcomeSchema },
  truncated: {
    type: 'boolean',
    description: 'True when there are more evaluations: continue with `cursor` and add up.',
  },
  next_cursor: optional({ type: 'string', description: 'Present when truncated.' }),
})
export type ComparisonView = TypeOf<typeof comparisonSchema>

const weekMs = 7 * 24 * 60 * 60 * 1_000

/** Throws `not_found`, `invalid_request` for a `with` or a time that cannot be used, `unavailable`. */
export async function findComparison(
  context: Pick<RulebookStreams, 'rulebooks'> &
    Pick<QueryContext, 'heavyReads' | 'projections' | 'clock'>,
  call: Call,
  { recipeId, minPosition, withId, ...asked }: ComparisonAsked,
): Promise<Seen<ComparisonView>> {
  const account = call.principal.accountId
  const { state } = await context.rulebooks.catchUp(rulebookStream(account))
  if (!state.recipes.has(recipeId)) throw notFound()
  if (withId === recipeId || !state.recipes.has(withId)) {
    throw invalidRequest([{ path: 'with', message: 'Must be the id of another recipe.' }])
  }
  const position = await reached(context, minPosition)
  // one more, so that what was evaluated just now is in it
  const toMs = asked.toMs ?? context.clock.nowMs() + 1
  const fromMs = asked.fromMs ?? Math.max(0, toMs - weekMs)
  if (fromMs >= toMs) {
    throw invalidRequest([{ path: 'from', message: 'Must be before to.' }])
  }
  const range = { fromMs, toMs, ...(asked.cursor !== undefined && { cursor: asked.cursor }) }
  const { nextCursor, scanned, outcomes } = await context.heavyReads.ask(
    call.principal,
    compareRecipes,
    {
      account,
      recipeId,
      withId,
      ...range,
    },
  )
  const value = {
    recipe_id: recipeId,
    with: withId,
    from: isoTime(fromMs),
    to: isoTime(toMs),
    scanned,
    agreements: sumOf(outcomes.filter((outcome) => outcome.recipe === outcome.with)),
    differences: sumOf(outcomes.filter((outcome) => outcome.recipe !== outcome.with)),
    outcomes,
    truncated: nextCursor !== undefined,
    ...(nextCursor !== undefined && { next_cursor: nextCursor }),
  }
  return { value, position }
}

function sumOf(outcomes: readonly ComparedOutcome[]): number {
  return outcomes.reduce((sum, { evaluations }) => sum + evaluations, 0)
}
