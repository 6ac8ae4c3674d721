/** Compares the verdicts of two recipes over the evaluations in which both ran. */

import type { Call } from '../../domain/call.ts'
import { invalidRequest, notFound } from '../../domain/failure.ts'
import { countSchema, openObject, type TypeOf, text, timeSchema } from '../../domain/jsonSchema.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { type Verdict, verdictSchema } from '../../engine/run/result.ts'
import { rulebookStream } from '../../events/rulebook/rulebook.ts'
import type { RulebookStreams } from '../../state/rulebook/rulebookStreams.ts'
import { addByClass, addFlow, type RulesReportQuery, totalOf } from './rulesReport.ts'
import {
  type ComparedTally,
  type ComparisonFolded,
  comparedExamplesMax,
  createComparison,
} from './scan/foldComparison.ts'
import { prepareScan, runScan, type ScanContext, type ScanStep } from './scan/scan.ts'

export interface ComparisonQuery extends Omit<RulesReportQuery, 'labelClass'> {
  readonly recipeId: string
  readonly otherRecipeId: string
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
  fraud: { ...countSchema, description: 'Those with a label of this class.' },
  legitimate: countSchema,
  unlabelled: { ...countSchema, description: 'Those without a label that has a class.' },
  examples: { type: 'array', items: text, description: 'Ids of the newest evaluations.' },
  where: {
    ...text,
    description: 'The conditions under which an export lists all with these verdicts.',
  },
})
type ComparedOutcome = TypeOf<typeof comparedOutcomeSchema>

export const comparisonSchema = openObject('RecipeComparison', {
  recipe_id: text,
  with: text,
  from: timeSchema,
  to: timeSchema,
  scanned: {
    ...countSchema,
    description: 'Evaluations that fulfil the conditions, whether both recipes ran in them or not.',
  },
  agreements: countSchema,
  differences: countSchema,
  outcomes: { type: 'array', items: comparedOutcomeSchema },
})
export type RecipeComparisonView = TypeOf<typeof comparisonSchema>

/**
 * Steps of the comparison, and what adds them up. Throws `not_found`, `invalid_request` for a `with` that cannot be
 * used, and as `prepareScan`.
 */
export async function compareRecipes(
  context: ScanContext & Pick<RulebookStreams, 'rulebooks'>,
  call: Call,
  { recipeId, otherRecipeId, flowId, signal, where = '', ...times }: ComparisonQuery,
): Promise<{
  readonly steps: AsyncIterable<ScanStep<ComparisonFolded>>
  readonly sum: {
    readonly add: (folded: ComparisonFolded) => void
    readonly result: () => RecipeComparisonView
  }
}> {
  const { state } = await context.rulebooks.catchUp(rulebookStream(call.principal.accountId))
  if (!state.recipes.has(recipeId)) throw notFound()
  if (otherRecipeId === recipeId || !state.recipes.has(otherRecipeId)) {
    throw invalidRequest([{ path: 'with', message: 'Must be the id of another recipe.' }])
  }
  const range = { ...times, where: addFlow(flowId, where) }
  const fold = { kind: 'comparison' as const, recipeId, otherRecipeId }
  const plan = await prepareScan(context, call, { range, fold })
  const sum = createComparison()
  return {
    steps: runScan(context, plan, { kind: 'comparison', signal }),
    sum: {
      add: (folded) => addFolded(sum, folded),
      result: () => {
        const outcomes = sum.outcomes.map((tally) => showOutcome(tally, [recipeId, otherRecipeId]))
        return {
          ...{ recipe_id: recipeId, with: otherRecipeId },
          ...{ from: isoTime(plan.fromMs), to: isoTime(plan.toMs), scanned: sum.scanned },
          agreements: sumEvaluations(outcomes.filter((one) => one.recipe === one.with)),
          differences: sumEvaluations(outcomes.filter((one) => one.recipe !== one.with)),
          outcomes,
        }
      },
    },
  }
}

/** Adds older evaluations to newer ones. */
function addFolded(sum: ComparisonFolded, { scanned, outcomes }: ComparisonFolded): void {
  sum.scanned += scanned
  for (const [at, tally] of sum.outcomes.entries()) {
    const { evaluations, examples } = outcomes[at] as ComparedTally
    addByClass(tally.evaluations, evaluations)
    tally.examples.push(...examples.slice(0, comparedExamplesMax - tally.examples.length))
  }
}

function showOutcome(
  { evaluations, examples, ...verdicts }: ComparedTally,
  [recipeId, otherRecipeId]: readonly [string, string],
): ComparedOutcome {
  const nameOf = (verdict: Verdict) => (verdict === 'FLAG' ? 'flagged_by' : 'passed_by')
  return {
    ...{ ...verdicts, evaluations: totalOf(evaluations), ...evaluations, examples },
    where: `${nameOf(verdicts.recipe)} = ${recipeId} and ${nameOf(verdicts.with)} = ${otherRecipeId}`,
  }
}

function sumEvaluations(outcomes: readonly ComparedOutcome[]): number {
  return outcomes.reduce((sum, { evaluations }) => sum + evaluations, 0)
}
