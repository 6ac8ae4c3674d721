/** Declares the response schemas of the difference of two evaluations, and of a replay as of a time. */

import { optional, type Schema, timeText } from '../../domain/schema.ts'
import type {
  CauseView,
  Comparison,
  DifferenceView,
} from '../../queries/evaluation/difference/compareSides.ts'
import type {
  ComparedEvaluation,
  EvaluationDifference,
} from '../../queries/evaluation/difference/evaluationDifference.ts'
import type { Answered, ReplayAsOf } from '../../queries/evaluation/difference/replayAsOf.ts'
import { differenceKinds } from '../../queries/evaluation/difference/sides.ts'
import { type Fields, viewSchema } from '../request/schema/fields.ts'
import { verdictSchema } from './evaluateResponseSchema.ts'
import { namedRecipeResult, nameSchema } from './explanationSchemas.ts'

const side = optional({
  description:
    'Absent where there is nothing, and of versions of managed rules. Values of a person are `{"sealed": true}` for a token without the scope `analyse`.',
})

const difference: Schema = viewSchema<DifferenceView>('EvaluationDifferenceItem', {
  kind: {
    type: 'string',
    enum: [...differenceKinds],
    description:
      'evidence: a value that arrived. list_entry: the answer of a list. semantics: the version of the meaning of rules. recipe: runs in one flow only. status: live or shadow. membership: a rule in one recipe only, by its weight. order: of rules. override: the verdict that a rule sets.',
  },
  recipe_id: optional({ type: 'string' }),
  recipe_name: optional(nameSchema),
  rule_id: optional({ type: 'string' }),
  rule_name: optional({ type: 'string', description: 'Of MANAGED rules the description.' }),
  name: optional({ type: 'string', description: 'Of evidence, as rules name it.' }),
  a: side,
  b: side,
})

const differences: Schema = { type: 'array', items: difference }

const comparisonFields = {
  causes: {
    type: 'array',
    items: viewSchema<CauseView>('EvaluationDifferenceCause', {
      differences: {
        ...differences,
        description: 'Together they turn the verdict of `a` into that of `b`.',
      },
    }),
    description: 'Each does by itself. None when the verdicts are the same.',
  },
  smallest: { type: 'boolean', description: 'Whether every smaller combination was tried.' },
  others: { ...differences, description: 'Differences that are in none of the causes.' },
} as const satisfies Fields<Comparison>

const compared: Schema = viewSchema<ComparedEvaluation>('ComparedEvaluation', {
  id: { type: 'string' },
  flow_id: { type: 'string' },
  flow_version_id: { type: 'string' },
  evaluated_at: timeText,
  verdict: verdictSchema,
})

export const evaluationDifferenceSchema: Schema = viewSchema<EvaluationDifference>(
  'EvaluationDifference',
  { a: compared, b: compared, ...comparisonFields },
)

const answered: Schema = viewSchema<Answered>('ReplayAnswer', {
  verdict: verdictSchema,
  flow_version_id: { type: 'string' },
  recipes: { type: 'array', items: namedRecipeResult },
})

/** Of a replay under the configuration of another time. */
export const replayAsOfSchema: Schema = viewSchema<ReplayAsOf>('ReplayAsOf', {
  as_of: { type: 'string', description: 'Position in the log.' },
  recorded: answered,
  recomputed: answered,
  ...comparisonFields,
})
