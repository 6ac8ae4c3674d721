/** Gives a rule a weight in a recipe, after showing the verdicts that it would turn. */

import { useState } from 'preact/hooks'
import { linkTo } from '../../api/address.ts'
import { type ApiFailure, ask } from '../../api/client.ts'
import { forget, useAnswer } from '../../api/query.ts'
import type { Backtest, Recipe } from '../../api/schema.ts'
import { may } from '../../api/session.ts'
import { Failed } from '../../parts/states.tsx'
import { count } from '../../parts/values.tsx'

interface PutProps {
  readonly id: string
  /** Recipes that have the rule. */
  readonly used: readonly string[]
  readonly onDone: () => void
}

export function PutIntoRecipe({ id, used, onDone }: PutProps) {
  const recipes = useAnswer('GET /v2/watch/management/recipes', { query: { limit: 200 } })
  const flows = useAnswer('GET /v2/watch/management/flows', { query: { limit: 200 } })
  const [chosen, choose] = useState('')
  const [weight, setWeight] = useState(20)
  const [tried, setTried] = useState<{ readonly of: string; readonly report: Backtest }>()
  const [failure, fail] = useState<ApiFailure>()
  const [said, say] = useState('')
  const open = (recipes.value?.recipes ?? []).filter((one) => !used.includes(one.id))
  const recipe = open.find((one) => one.id === chosen)
  const flow = flows.value?.flows.find((one) => one.recipes.includes(chosen))
  const asked = `${chosen} ${weight}`

  const guarded = async (work: () => Promise<void>) => {
    fail(undefined)
    try {
      await work()
    } catch (error) {
      fail(error as ApiFailure)
    }
  }
  const tryIt = (into: Recipe) =>
    guarded(async () => {
      if (!flow) return
      const {
        id: _,
        version_id: _version,
        parameters: _parameters,
        ...content
      } = into as Recipe & { readonly parameters?: unknown }
      const changed = {
        ...content,
        status: 'LIVE' as const,
        rules: [...into.rules, { rule_id: id, weight }],
      }
      const draft = { recipes: flow.recipes.map((one) => (one === into.id ? changed : one)) }
      const { value } = await ask('POST /v2/watch/management/backtests', {
        body: { flow_id: flow.id, draft },
      })
      setTried({ of: asked, report: value })
    })
  const put = (into: Recipe) =>
    guarded(async () => {
      const path = { id: into.id }
      const { value: now, etag } = await ask('GET /v2/watch/management/recipes/{id}', { path })
      const { id: _, version_id: _version, ...content } = now
      const body = { ...content, rules: [...now.rules, { rule_id: id, weight }] }
      await ask('PUT /v2/watch/management/recipes/{id}', {
        path,
        body,
        ...(etag && { ifMatch: etag }),
      })
      await forget('GET /v2/watch/management/recipes')
      choose('')
      say(`It runs in ${now.name} from now on.`)
      onDone()
    })
  if (open.length === 0 && said === '') return null
  return (
    <div class="put">
      <h3>Put it into a recipe</h3>
      <div class="joined">
        <label>
          Recipe
          <select value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
            <option value="">choose one</option>
            {open.map(({ id: one, name, status }) => (
              <option key={one} value={one}>
                {name} ({status.toLowerCase()})
              </option>
            ))}
          </select>
        </label>
        <label>
          Weight
          <input
            type="number"
            min={-100}
            max={100}
            value={weight}
            onInput={(event) => setWeight(event.currentTarget.valueAsNumber || 0)}
          />
        </label>
        {may('analyse') && (
          <button
            type="button"
            disabled={!recipe || !flow}
            onClick={() => recipe && void tryIt(recipe)}
          >
            Show the verdicts it turns
          </button>
        )}
        <button
          type="button"
          class="primary"
          disabled={!recipe}
          onClick={() => recipe && void put(recipe)}
        >
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

function Turned({ report: { evaluations, by_draft, changed } }: { readonly report: Backtest }) {
  const turned = changed.filter(({ unchanged, draft }) => unchanged !== draft)
  return (
    <div>
      <p>
        Of the {count(evaluations)} evaluations of the last seven days it turns{' '}
        <b>{count(by_draft.to_flag)}</b> to flag and <b>{count(by_draft.to_pass)}</b> to pass.
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
