/** Shows which scores of the newest evaluations could lie on both sides of the threshold. */

import { linkTo } from '../../api/address.ts'
import { useAnswer } from '../../api/query.ts'
import type { Flow, Recipe, RecipeInput, WatchedRecipe } from '../../api/schema.ts'
import { clamp } from '../../parts/scoreBounds.ts'
import { Pending } from '../../parts/states.tsx'
import { count } from '../../parts/values.tsx'

interface BandProps {
  readonly recipe: Recipe
  readonly content: RecipeInput
  readonly flow: Flow
}

/** Evaluations of the same score and the same bounds. */
interface Group {
  readonly score: number
  readonly min: number
  readonly max: number
  readonly evaluations: number
}

const looked = 100
const shownMax = 8

export function UncertainBand({ recipe, content, flow }: BandProps) {
  const answer = useAnswer('GET /v2/watch/evaluations', {
    query: { flow_id: flow.id, limit: looked },
  })
  const { value } = answer
  if (!value) return <Pending of={answer} />
  const scored = value.evaluations.flatMap(({ recipes, shadow_recipes }) =>
    [...recipes, ...shadow_recipes].filter((one) => one.recipe_id === recipe.id),
  )
  const isTorn = ({ min, max }: Group) => min < content.threshold && max >= content.threshold
  const groups = groupScores(scored).toSorted(
    (one, other) => Number(isTorn(other)) - Number(isTorn(one)),
  )
  const sum = (of: readonly Group[]) => of.reduce((total, one) => total + one.evaluations, 0)
  if (groups.length === 0) return null
  const fragile = linkTo('/evaluations', { flow: flow.id, where: 'fragile = true' })
  return (
    <>
      <h3>The uncertain band</h3>
      <p>
        Of its {count(scored.length)} newest scores <b>{count(sum(groups.filter(isTorn)))}</b> could
        be on the other side of <b>{content.threshold}</b> with all evidence.{' '}
        <a href={fragile}>Fragile answers</a>
      </p>
      <ul class="band">
        {groups.slice(0, shownMax).map((group) => (
          <li key={`${group.score} ${group.min} ${group.max}`}>
            <Interval group={group} threshold={content.threshold} isTorn={isTorn(group)} />
          </li>
        ))}
      </ul>
      <p class="soft">
        Scores as they were answered{groups.length > shownMax && ', the most frequent first'}: they
        move with the next evaluations, not with the weights above.
      </p>
    </>
  )
}

function groupScores(scored: readonly WatchedRecipe[]): readonly Group[] {
  const groups = new Map<string, Group>()
  for (const { score, score_bounds: { min, max } = { min: score, max: score } } of scored) {
    const key = `${score} ${min} ${max}`
    const evaluations = (groups.get(key)?.evaluations ?? 0) + 1
    groups.set(key, { score, min, max, evaluations })
  }
  return [...groups.values()].toSorted((one, other) => other.evaluations - one.evaluations)
}

interface IntervalProps {
  readonly group: Group
  readonly threshold: number
  readonly isTorn: boolean
}

function Interval({ group: { score, min, max, evaluations }, threshold, isTorn }: IntervalProps) {
  const bounds = min === max ? 'certain' : `${min} to ${max}`
  return (
    <>
      <span>
        <b class="number">{score}</b> <span class="soft">{bounds}</span>
      </span>
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" y="3" width="100" height="4" rx="1" />
        <rect class={isTorn ? 'torn' : 'sure'} x={min} y="3" width={max - min} height="4" />
        <rect class="score-at" x={Math.max(0, score - 0.6)} y="1" width="1.2" height="8" />
        <rect class="threshold" x={clamp(threshold) - 0.15} width="0.3" height="10" />
      </svg>
      <span class="number">
        {count(evaluations)}
        {isTorn && <span class="torn-word"> could turn</span>}
      </span>
    </>
  )
}
