/** Starts a backtest of the draft, or runs it as a shadow of the recipe. */

import { useState } from 'preact/hooks'
import { go, linkTo } from '../../api/address.ts'
import { ask, serverNowMs } from '../../api/client.ts'
import { forget } from '../../api/query.ts'
import type { Flow, Recipe, RecipeInput } from '../../api/schema.ts'
import { startBacktest } from '../../api/tried.ts'
import { Select } from '../../parts/fields.tsx'
import { Failed } from '../../parts/states.tsx'
import { useWork } from '../../parts/useWork.ts'
import { requestOf } from './recipeDraft.ts'

interface StartsProps {
  readonly recipe: Recipe
  readonly content: RecipeInput
  readonly flow: Flow
}

const dayMs = 86_400_000
const spans = [
  [7, '7 days'],
  [30, '30 days'],
  [90, '90 days'],
  [365, 'a year'],
] as const

export function Starts({ recipe, content, flow }: StartsProps) {
  const [days, setDays] = useState<(typeof spans)[number][0]>(30)
  const { failure, isBusy, run } = useWork()
  const start = (work: () => Promise<string>) => run(async () => go(await work()))
  const backtest = async () => {
    const query = { from: new Date(serverNowMs() - days * dayMs).toISOString() }
    const { id } = await startBacktest({ query, body: requestOf(flow, recipe, content) })
    return linkTo(`/backtests/${id}`)
  }
  return (
    <div class="starts">
      <h3>Look further</h3>
      <div class="joined">
        <Select
          label="Backtest over"
          value={days}
          options={spans}
          onChange={(chosen) => chosen && setDays(chosen)}
        />
        <button type="button" disabled={isBusy} onClick={() => start(backtest)}>
          Start the backtest
        </button>
        <button
          type="button"
          disabled={isBusy}
          onClick={() => start(() => addShadow({ recipe, content, flow }))}
        >
          Run it as a shadow
        </button>
      </div>
      <p class="soft">
        A shadow is a recipe of its own in the flow: from now on it is computed with each request
        and recorded, and decides nothing.
      </p>
      {failure && <Failed failure={failure} />}
    </div>
  )
}

/** The recipe and its place in the flow at once; refused where somebody changed the flow meanwhile. */
async function addShadow({ recipe, content, flow }: StartsProps): Promise<string> {
  const { value, etag } = await ask('GET /v2/watch/management/flows/{id}', {
    path: { id: flow.id },
  })
  const shadow = {
    ...content,
    name: `${content.name.slice(0, 118)} (shadow)`,
    status: 'SHADOW' as const,
  }
  const added = { name: value.name, recipes: [...value.recipes, 'recipes.0'] }
  const guard = etag !== undefined && { if_match: etag }
  const changed = await ask('POST /v2/watch/management/changes', {
    body: { recipes: [{ content: shadow }], flows: [{ id: flow.id, ...guard, content: added }] },
  })
  await forget('GET /v2/watch/management/recipes', 'GET /v2/watch/management/flows')
  const id = changed.value.recipes[0]?.id ?? ''
  return linkTo(`/recipes/${recipe.id}/comparison`, { with: id })
}
