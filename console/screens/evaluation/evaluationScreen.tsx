/** Shows one evaluation: its verdict, why it came out so, what it read, and that the record proves it. */

import { here } from '../../api/address.ts'
import { useAnswer } from '../../api/query.ts'
import type { Evaluation } from '../../api/schema.ts'
import { may } from '../../api/session.ts'
import { CopyId } from '../../parts/copyId.tsx'
import { Evidence } from '../../parts/evidence.tsx'
import { Moment } from '../../parts/moment.tsx'
import { OutcomeMark } from '../../parts/outcome.tsx'
import { RecipeResult } from '../../parts/recipeResult.tsx'
import { Pending } from '../../parts/states.tsx'
import type { ViewProps } from '../screen.ts'
import { Comparison } from './comparison.tsx'
import { Labels } from './labels.tsx'
import { ReplayStamp } from './replayStamp.tsx'
import '../../parts/evaluation.css'

export function EvaluationScreen({ params: { id = '' } }: ViewProps) {
  const answer = useAnswer('GET /v2/watch/evaluations/{evaluation_id}', {
    path: { evaluation_id: id },
    query: { explain: 'expressions' },
  })
  const { value } = answer
  if (!value) return <Pending of={answer} title="Evaluation" lines={10} />
  const isErased = !Array.isArray(value.explanation)
  return (
    <>
      <VerdictHead of={value} />
      {isErased && (
        <p class="warning">
          The person this is about has been erased: the verdict stays on record, its evidence is
          gone.
        </p>
      )}
      {recipesOf(value).map((recipe) => (
        <RecipeResult key={recipe.recipe_id} recipe={recipe} />
      ))}
      <Evidence evidence={value.evidence} notCounted={value.not_counted} />
      {may('analyse') && <Labels evaluation={value} />}
      {may('audit') && <Comparison id={value.id} other={here.value.query.get('with') ?? ''} />}
    </>
  )
}

function VerdictHead({ of: value }: { readonly of: Evaluation }) {
  return (
    <div class={`verdict ${value.verdict === 'FLAG' ? 'is-flag' : 'is-pass'}`}>
      <div>
        <h1>
          <OutcomeMark of={value.verdict} />
        </h1>
        <p>
          <bdi>{value.flow_name ?? value.flow_id}</bdi> · <Moment at={value.evaluated_at} />
        </p>
        <p class="marks">
          <CopyId id={value.id} />
          {value.prediction && <span class="badge">prediction</span>}
          {value.imported && <span class="badge">imported</span>}
          <span class="badge">
            {value.dispatch === 'none' ? 'no dispatch' : `dispatch ${value.dispatch}`}
          </span>
        </p>
      </div>
      {may('audit') && <ReplayStamp id={value.id} />}
    </div>
  )
}

/** Without their explanation where that was erased. */
function recipesOf({ explanation, recipes, shadow_recipes }: Evaluation) {
  if (Array.isArray(explanation)) return explanation
  return [
    ...recipes.map((one) => ({ ...one, status: 'LIVE' as const })),
    ...shadow_recipes.map((one) => ({ ...one, status: 'SHADOW' as const })),
  ]
}
