/** Gives a rule a weight in a recipe, after showing the verdicts that it would turn. */

import { useState } from 'preact/hooks'
import { ask } from '../../api/client.ts'
import { forget, useAnswer } from '../../api/query.ts'
import type { BacktestReport, Flow, Recipe } from '../../api/schema.ts'
import { may } from '../../api/session.ts'
import { preview } from '../../api/tried.ts'
import { ChangedVerdicts } from '../../parts/backtestTable.tsx'
import { Select } from '../../parts/fields.tsx'
import { Failed } from '../../parts/states.tsx'
import { useWork } from '../../parts/useWork.ts'
import { count } from '../../parts/values.tsx'

interface PutProps {
  readonly id: string
  /** Recipes that have the rule. */
  readonly used: readonly string[]
  readonly onDone: () => void
}

interface Chosen {
  readonly rule_id: string
  readonly recipe: Recipe
  readonly weight: number
}

/** The verdicts of the flow with the rule in the recipe. */
async function tryIn(flow: Flow, { rule_id, recipe, weight }: Chosen): Promise<BacktestReport> {
  const { id, version_id: _, ...content } = recipe
  const rules = [...content.rules, { rule_id, weight }]
  const changed = { ...content, status: 'LIVE' as const, rules }
  const draft = { recipes: flow.recipes.map((one) => (one === id ? changed : one)) }
  return await preview({ flow_id: flow.id, draft })
}

/** Over the recipe as it is now, not as it was listed. */
async function putInto({ rule_id, recipe, weight }: Chosen): Promise<void> {
  const path = { id: recipe.id }
  const { value, etag } = await ask('GET /v2/watch/management/recipes/{id}', { path })
  const { id: _, version_id: _version, ...content } = value
  const body = { ...content, rules: [...content.rules, { rule_id, weight }] }
  const guard = etag !== undefined && { ifMatch: etag }
  await ask('PUT /v2/watch/management/recipes/{id}', { path, body, ...guard })
  await forget('GET /v2/watch/management/recipes')
}

export function PutIntoRecipe({ id, used, onDone }: PutProps) {
  const recipes = useAnswer('GET /v2/watch/management/recipes', { query: { limit: 200 } })
  const flows = useAnswer('GET /v2/watch/management/flows', { query: { limit: 200 } })
  const [recipeId, choose] = useState('')
  const [weight, setWeight] = useState(20)
  const [tried, setTried] = useState<{ readonly of: string; readonly report: BacktestReport }>()
  const { failure, run } = useWork()
  const [said, say] = useState('')
  const open = (recipes.value?.recipes ?? []).filter((one) => !used.includes(one.id))
  const recipe = open.find((one) => one.id === recipeId)
  const flow = flows.value?.flows.find((one) => one.recipes.includes(recipeId))
  const chosen = recipe && { rule_id: id, recipe, weight }
  const asked = `${recipeId} ${weight}`
  if (open.length === 0 && said === '') return null

  const tryIt = async () => {
    if (chosen && flow) setTried({ of: asked, report: await tryIn(flow, chosen) })
  }
  const put = async () => {
    if (!chosen) return
    await putInto(chosen)
    choose('')
    say(`It runs in ${chosen.recipe.name} from now on.`)
    onDone()
  }
  return (
    <div class="put">
      <h3>Put it into a recipe</h3>
      <div class="joined">
        <Select
          label="Recipe"
          value={recipeId}
          options={open.map(({ id: of, name, status, threshold }) => [
            of,
            `${name} (${status.toLowerCase()}, threshold ${threshold})`,
          ])}
          none="choose one"
          onChange={choose}
        />
        <WeightField value={weight} onChange={setWeight} />
        {may('analyse') && (
          <button type="button" disabled={!recipe || !flow} onClick={() => run(tryIt)}>
            Show the verdicts it turns
          </button>
        )}
        <button type="button" class="primary" disabled={!recipe} onClick={() => run(put)}>
          Put into the recipe
        </button>
      </div>
      {recipe && !flow && (
        <p class="soft">No flow runs this recipe: there is nothing to try it on.</p>
      )}
      {failure && <Failed failure={failure} />}
      {tried?.of === asked && <Turned report={tried.report} />}
      <p role="status">{said}</p>
    </div>
  )
}

interface WeightProps {
  readonly value: number
  readonly onChange: (value: number) => void
}

function WeightField({ value, onChange }: WeightProps) {
  return (
    <label>
      Weight
      <input
        type="number"
        min={-100}
        max={100}
        value={value}
        onInput={(event) => onChange(event.currentTarget.valueAsNumber || 0)}
      />
    </label>
  )
}

function Turned({ report }: { readonly report: BacktestReport }) {
  const { evaluations, by_draft } = report
  return (
    <>
      <p>
        Of the {count(evaluations)} newest evaluations it turns <b>{count(by_draft.to_flag)}</b> to
        flag and <b>{count(by_draft.to_pass)}</b> to pass.
      </p>
      {by_draft.to_flag + by_draft.to_pass > 0 && <ChangedVerdicts report={report} />}
    </>
  )
}
