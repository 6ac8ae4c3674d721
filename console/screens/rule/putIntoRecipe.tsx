/** Gives a rule a weight in a recipe, after showing the verdicts that it would turn. */

import { useState } from 'preact/hooks'
import { linkTo } from '../../api/address.ts'
import { type ApiFailure, ask } from '../../api/client.ts'
import { forget, useAnswer } from '../../api/query.ts'
import type { BacktestReport, Flow, Recipe } from '../../api/schema.ts'
import { may } from '../../api/session.ts'
import { Failed } from '../../parts/states.tsx'
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
  const body = { flow_id: flow.id, draft }
  return (await ask('POST /v2/watch/management/backtests/preview', { body })).value
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
  const [failure, fail] = useState<ApiFailure>()
  const [said, say] = useState('')
  const open = (recipes.value?.recipes ?? []).filter((one) => !used.includes(one.id))
  const recipe = open.find((one) => one.id === recipeId)
  const flow = flows.value?.flows.find((one) => one.recipes.includes(recipeId))
  const chosen = recipe && { rule_id: id, recipe, weight }
  const asked = `${recipeId} ${weight}`
  if (open.length === 0 && said === '') return null

  const tryIt = async () => {
    if (!chosen || !flow) return
    fail(undefined)
    await tryIn(flow, chosen).then((report) => setTried({ of: asked, report }), fail)
  }
  const put = async () => {
    if (!chosen) return
    fail(undefined)
    await putInto(chosen).then(() => {
      choose('')
      say(`It runs in ${chosen.recipe.name} from now on.`)
      onDone()
    }, fail)
  }
  return (
    <div class="put">
      <h3>Put it into a recipe</h3>
      <div class="joined">
        <RecipeChoice recipes={open} value={recipeId} onChange={choose} />
        <WeightField value={weight} onChange={setWeight} />
        {may('analyse') && (
          <button type="button" disabled={!recipe || !flow} onClick={() => void tryIt()}>
            Show the verdicts it turns
          </button>
        )}
        <button type="button" class="primary" disabled={!recipe} onClick={() => void put()}>
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

interface ChoiceProps<Value> {
  readonly value: Value
  readonly onChange: (value: Value) => void
}

function RecipeChoice({
  recipes,
  value,
  onChange,
}: ChoiceProps<string> & { readonly recipes: readonly Recipe[] }) {
  return (
    <label>
      Recipe
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">choose one</option>
        {recipes.map(({ id, name, status }) => (
          <option key={id} value={id}>
            {name} ({status.toLowerCase()})
          </option>
        ))}
      </select>
    </label>
  )
}

function WeightField({ value, onChange }: ChoiceProps<number>) {
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

function Turned({
  report: { evaluations, by_draft, changed },
}: {
  readonly report: BacktestReport
}) {
  const turned = changed.filter(({ unchanged, draft }) => unchanged !== draft)
  return (
    <div>
      <p>
        Of the {count(evaluations)} newest evaluations it turns <b>{count(by_draft.to_flag)}</b> to
        flag and <b>{count(by_draft.to_pass)}</b> to pass.
      </p>
      <ul class="ids">
        {turned.slice(0, 10).map(({ id }) => (
          <li key={id}>
            <a href={linkTo(`/evaluations/${id}`)}>
              <code>{id}</code>
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}
