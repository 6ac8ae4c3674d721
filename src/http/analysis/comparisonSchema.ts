/** How two recipes agreed. */

import type { ComparisonView } from '../../service/analysis/analysisPart.ts'
import { verdictSchema } from '../evaluation/evaluateResponseSchema.ts'
import { optional, viewSchema } from '../request/fields.ts'
import { count, type Schema, timeText } from '../request/schema.ts'

const outcome: Schema = viewSchema<ComparisonView['outcomes'][number]>('ComparedOutcome', {
  recipe: verdictSchema,
  with: verdictSchema,
  partial_evidence: {
    type: 'boolean',
    description: 'Whether a rule of either recipe was not evaluated.',
  },
  evaluations: count,
  examples: {
    type: 'array',
    items: { type: 'string' },
    description: 'Ids of the newest evaluations.',
  },
})

export const comparisonSchema: Schema = viewSchema<ComparisonView>('RecipeComparison', {
  recipe_id: { type: 'string' },
  with: { type: 'string' },
  from: timeText,
  to: timeText,
  scanned: {
    ...count,
    description: 'Evaluations that were looked at, the newest first; at most 20,000.',
  },
  agreements: count,
  differences: count,
  outcomes: { type: 'array', items: outcome },
  truncated: {
    type: 'boolean',
    description: 'True when there is more to look at; ask again with `cursor` and add up.',
  },
  next_cursor: optional({ type: 'string', description: 'Present when truncated.' }),
})
