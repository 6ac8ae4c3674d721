/** Statistics computed from the events of a log in the plainest way: every evaluation is looked at for every figure. */

import type { Verdict } from '../../src/engine/run/result.ts'

interface RawRecipe {
  readonly recipe_id: string
  readonly score: number
  readonly verdict: Verdict
  readonly determined_by?: string
  readonly outcomes: string
}
interface RawEvaluation {
  readonly flow_id: string
  readonly plan: string
  readonly verdict: Verdict
  readonly recipes: readonly RawRecipe[]
  readonly missing?: readonly (readonly [name: string, reason: string])[]
  readonly missing_managed?: RawEvaluation['missing']
  readonly occurred_at?: number
  readonly imported?: true
}
interface RawRule {
  readonly rule_id: string
  readonly weight: number
  readonly preempts?: Verdict
}
export interface RawEvent {
  readonly type: string
  readonly data: unknown
  readonly metadata: { readonly account: string; readonly time: number }
}

/** An evaluation with the recipes of its plan. */
interface Seen {
  readonly clock: number
  readonly data: RawEvaluation
  readonly recipes: readonly SeenRecipe[]
}
type SeenRecipe = RawRecipe & Planned & { readonly isFragile: boolean }
interface Planned {
  readonly status: 'LIVE' | 'SHADOW'
  readonly threshold: number
  readonly rules: readonly RawRule[]
}

export interface PlainQuestion {
  readonly account: string
  /** All that were evaluated unless given. */
  readonly flowId?: string
  readonly from: number
  readonly to: number
  readonly by: 'hour' | 'day'
  readonly now: number
}

const hour = 3_600_000
const week = 7 * 24 * hour

/** What the route answers, without names; flows in the order of their ids. */
export function plainStatistics(events: readonly RawEvent[], asked: PlainQuestion) {
  const size = asked.by === 'hour' ? hour : 24 * hour
  const from = Math.floor(asked.from / size) * size
  const to = Math.ceil(Math.min(asked.to, asked.now + 1) / size) * size
  const finished = Math.max(from, Math.min(to, Math.floor(asked.now / hour) * hour))
  const range = { from, to, finished, size }
  const seen = readEvaluations(events, asked.account)
  const all = new Set(seen.map(({ data }) => data.flow_id))
  const flowIds = asked.flowId === undefined ? [...all].toSorted() : [asked.flowId]
  return {
    from: iso(from),
    to: iso(to),
    by: asked.by,
    finished: iso(finished),
    flows: flowIds.flatMap((flow_id) =>
      [false, true].flatMap((imported) => {
        const own = seen.filter(
          ({ data }) => data.flow_id === flow_id && (data.imported ?? false) === imported,
        )
        const known = [...within(own, from, to), ...within(own, from - week, finished - week)]
        const isShown = known.length > 0 || (asked.flowId !== undefined && !imported)
        return isShown ? [{ flow_id, imported, ...flowStatistics(own, range) }] : []
      }),
    ),
  }
}

interface Range {
  readonly from: number
  readonly to: number
  readonly finished: number
  readonly size: number
}

const iso = (time: number): string => new Date(time).toISOString()

const within = <One extends { readonly clock: number }>(
  all: readonly One[],
  from: number,
  to: number,
) => all.filter(({ clock }) => from <= clock && clock < to)

function readEvaluations(events: readonly RawEvent[], account: string): readonly Seen[] {
  const own = events.filter(({ metadata }) => metadata.account === account)
  const of = <Data>(type: string) =>
    own.filter((event) => event.type === type) as readonly (RawEvent & { readonly data: Data })[]
  const parts = new Map(
    of<{ digest: string; rules: RawRule[] }>('PlanRulesRecorded').map(({ data }) => [
      data.digest,
      data.rules,
    ]),
  )
  type Pins = Omit<Planned, 'rules'> & { readonly parts: readonly (readonly [string, number])[] }
  const plans = new Map(
    of<{ digest: string; plan: { recipes: Pins[] } }>('FlowPlanRecorded').map(({ data }) => [
      data.digest,
      data.plan.recipes.map(({ status, threshold, parts: pinned }) => ({
        status,
        threshold,
        rules: pinned.flatMap(([digest]) => parts.get(digest) ?? []),
      })),
    ]),
  )
  return of<RawEvaluation>('FlowEvaluated').map(({ data, metadata }) => ({
    clock: data.occurred_at ?? metadata.time,
    data,
    recipes: data.recipes.map((recipe, at) => {
      const planned = plans.get(data.plan)?.[at]
      if (!planned) throw new Error(`there is no plan of ${data.plan}`)
      return { ...recipe, ...planned, isFragile: isRecipeFragile({ ...recipe, ...planned }) }
    }),
  }))
}

function flowStatistics(all: readonly Seen[], range: Range) {
  const { from, to } = range
  const inRange = within(all, from, to)
  const names = new Set(inRange.flatMap(({ data }) => namesMissing(data)))
  const lacking = (name: string) => inRange.filter(({ data }) => namesMissing(data).includes(name))
  const missing = [...names].map((name) => ({
    name,
    evaluations: lacking(name).length,
    fragile: lacking(name).filter(isAnswerFragile).length,
  }))
  return {
    ...series(all, flowFigures, range),
    missing: missing.toSorted(
      (a, b) => b.evaluations - a.evaluations || (a.name < b.name ? -1 : 1),
    ),
    recipes: recipeStatistics(all, range),
  }
}

function namesMissing({ missing = [], missing_managed = [] }: RawEvaluation): readonly string[] {
  return [...missing.map(([name]) => name), ...(missing_managed.length > 0 ? ['missing_data'] : [])]
}

function recipeStatistics(all: readonly Seen[], range: Range) {
  const { from, to, finished } = range
  const known = all.filter(
    (one) =>
      within([one], from, to).length + within([one], from - week, finished - week).length > 0,
  )
  const runs = known.flatMap(({ clock, recipes }) =>
    recipes.map((recipe) => ({ clock, ...recipe })),
  )
  const keys = [
    ...new Set(runs.map(({ status, recipe_id }) => `${status} ${recipe_id}`)),
  ].toSorted()
  return keys.map((key) => {
    const [status, recipe_id] = key.split(' ') as [Planned['status'], string]
    const own = runs.filter((run) => run.status === status && run.recipe_id === recipe_id)
    const scores = within(own, from, to).flatMap(scoreThatDecided)
    return {
      recipe_id,
      status,
      thresholds: [...new Set(own.map(({ threshold }) => threshold))].toSorted((a, b) => a - b),
      ...series(own, recipeFigures, { ...range, finished }),
      histogram: [...new Set(scores)]
        .toSorted((a, b) => a - b)
        .map((score) => ({ score, evaluations: scores.filter((one) => one === score).length })),
    }
  })
}

type Run = SeenRecipe & { readonly clock: number }

const scoreThatDecided = ({ determined_by, score }: Run): readonly number[] =>
  determined_by === undefined ? [score] : []

function series<One extends { readonly clock: number }, Figures extends object>(
  all: readonly One[],
  figuresOf: (some: readonly One[]) => Figures,
  { from, to, finished, size }: Range,
) {
  const buckets = []
  for (let start = from; start < to; start += size) {
    const isUnfinished = start + size > finished
    buckets.push({
      from: iso(start),
      ...figuresOf(within(all, start, start + size)),
      ...(isUnfinished && { unfinished: true }),
    })
  }
  return {
    figures: figuresOf(within(all, from, to)),
    whole_hours: figuresOf(within(all, from, finished)),
    week_before: figuresOf(within(all, from - week, finished - week)),
    buckets,
  }
}

const shareOf = (part: number, all: number): number | null => (all === 0 ? null : part / all)

function flowFigures(some: readonly Seen[]) {
  const flagged = some.filter(({ data }) => data.verdict === 'FLAG').length
  return {
    evaluations: some.length,
    flagged,
    share: shareOf(flagged, some.length),
    fragile: some.filter(isAnswerFragile).length,
  }
}

function recipeFigures(some: readonly Run[]) {
  const flagged = some.filter(({ verdict }) => verdict === 'FLAG').length
  const scores = some.flatMap(scoreThatDecided).toSorted((a, b) => a - b)
  return {
    evaluations: some.length,
    flagged,
    share: shareOf(flagged, some.length),
    fragile: some.filter(({ isFragile }) => isFragile).length,
    partial: some.filter(({ outcomes }) => outcomes.includes('M') || outcomes.includes('U')).length,
    overridden: some.filter(({ determined_by }) => determined_by !== undefined).length,
    median_score: scores[Math.ceil(scores.length / 2) - 1] ?? null,
  }
}

function isAnswerFragile({ data, recipes }: Seen): boolean {
  const live = recipes.filter(({ status }) => status === 'LIVE')
  if (data.verdict === 'PASS') return live.some(({ isFragile }) => isFragile)
  return live.filter(({ verdict }) => verdict === 'FLAG').every(({ isFragile }) => isFragile)
}

/** Whether the recipe gives another verdict under some outcome of the rules that were not evaluated. */
function isRecipeFragile({ verdict, threshold, rules, outcomes }: RawRecipe & Planned): boolean {
  const open = [...outcomes].flatMap((letter, at) => (letter === 'M' || letter === 'U' ? [at] : []))
  return Array.from({ length: 2 ** open.length }, (_, choice) => choice).some((choice) => {
    const triggered = rules.filter(
      (_, at) => outcomes[at] === 'T' || ((choice >> open.indexOf(at)) & 1 && open.includes(at)),
    )
    const decisive = triggered.find(({ preempts }) => preempts)
    const sum = triggered.reduce((total, { weight }) => total + weight, 0)
    const byScore = Math.min(100, Math.max(0, sum)) >= threshold ? 'FLAG' : 'PASS'
    return (decisive?.preempts ?? byScore) !== verdict
  })
}
