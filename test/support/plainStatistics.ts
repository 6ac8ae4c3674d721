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
  /** Of the time zone database; UTC unless given. */
  readonly zone?: string
  /** What is to have answered; counts unless given. */
  readonly source?: 'scan'
}

const hour = 3_600_000
const week = 7 * 24 * hour

/** What the route answers, without names; flows in the order of their ids. */
export function plainStatistics(events: readonly RawEvent[], asked: PlainQuestion) {
  const starts = listStarts(asked)
  const [from = 0, to = 0] = [starts[0], starts.at(-1)]
  const finished = Math.max(from, Math.min(to, lastFullHour(asked)))
  const range = { from, to, finished, starts, asked, before: weekBefore(asked, from, finished) }
  const seen = readEvaluations(events, asked.account)
  const all = new Set(seen.map(({ data }) => data.flow_id))
  const flowIds = asked.flowId === undefined ? [...all].toSorted() : [asked.flowId]
  return {
    from: iso(from),
    to: iso(to),
    by: asked.by,
    zone: asked.zone ?? 'UTC',
    source: asked.source ?? 'counts',
    finished: iso(finished),
    flows: flowIds.flatMap((flow_id) =>
      [false, true].flatMap((imported) => {
        const own = seen.filter(
          ({ data }) => data.flow_id === flow_id && (data.imported ?? false) === imported,
        )
        const known = [...within(own, from, to), ...within(own, ...range.before)]
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
  readonly starts: readonly number[]
  readonly before: readonly [from: number, to: number]
  readonly asked: PlainQuestion
}

/** What a clock of the zone shows at a time, as in `2026-10-25T02`, and its distance from UTC. */
function clockIn({ zone = 'UTC' }: PlainQuestion) {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone: zone, timeZoneName: 'longOffset', hourCycle: 'h23' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
  })
  return (time: number) => {
    const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]))
    const day = ['year', 'month', 'day'].map((name) => parts.get(name as 'day')).join('-')
    const offset = parts.get('timeZoneName')?.slice(3) || '+00:00'
    return { day, minute: `${day}T${parts.get('hour')}:${parts.get('minute')}`, offset }
  }
}

/** Every half hour is looked at: a bucket starts with it where the clock shows another day, or a full hour. */
function listStarts(asked: PlainQuestion): readonly number[] {
  const clock = clockIn(asked)
  const end = Math.min(asked.to, asked.now + 1)
  const starts: number[] = []
  const first = Math.floor(asked.from / hour) * hour - 30 * hour
  for (let time = first; time < end + 60 * hour; time += hour / 2) {
    const isHour = clock(time).minute.endsWith(':00')
    const isNew = asked.by === 'hour' ? isHour : clock(time).day !== clock(time - hour / 2).day
    if (isNew) starts.push(time)
  }
  return starts.filter((_, at) => {
    const [before = 0, after = 0] = [starts[at - 1], starts[at + 1]]
    return after > asked.from && before < end
  })
}

function lastFullHour(asked: PlainQuestion): number {
  const clock = clockIn(asked)
  const half = Math.floor((2 * asked.now) / hour) * (hour / 2)
  return clock(half).minute.endsWith(':00') ? half : half - hour / 2
}

/** From and to when the clock of the zone showed the same hour seven days earlier. */
function weekBefore(asked: PlainQuestion, from: number, to: number): Range['before'] {
  const clock = clockIn(asked)
  const find = (time: number): number => {
    const [day, at] = clock(time).minute.split('T')
    const date = new Date(Date.parse(day ?? '') - week).toISOString().slice(0, 10)
    const near = [0, -1, 1, -2, 2].map((hours) => time - week + hours * hour)
    const found = near.find((one) => clock(one).minute === `${date}T${at}`)
    if (found === undefined) throw new Error(`no clock showed ${date}T${at}`)
    return found
  }
  return [find(from), find(to)]
}

/** `2026-10-25T02:00+01:00` */
function localLabel(asked: PlainQuestion, time: number): string {
  const { minute, offset } = clockIn(asked)(time)
  return `${minute}${offset}`
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
  const { from, to, before } = range
  const known = all.filter(
    (one) => within([one], from, to).length + within([one], ...before).length > 0,
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
      ...series(own, recipeFigures, range),
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
  { from, to, finished, starts, before, asked }: Range,
) {
  const buckets = starts.slice(0, -1).map((start, at) => {
    const end = starts[at + 1] ?? 0
    return {
      from: iso(start),
      ...(asked.zone !== undefined && { local: localLabel(asked, start) }),
      ...figuresOf(within(all, start, end)),
      ...(end > finished && { unfinished: true }),
    }
  })
  return {
    figures: figuresOf(within(all, from, to)),
    whole_hours: figuresOf(within(all, from, finished)),
    week_before: figuresOf(within(all, ...before)),
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
