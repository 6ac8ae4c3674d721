/** Counts verdicts, scores, missing names and rule outcomes of each plan by UTC hour and day. */

/**
 * Evaluations are counted by plan, and the counts are in the order of its recipes and rules: the fold needs nothing but
 * the event and the document. What is counted of rules is a document of its own, so that who asks for verdicts does not
 * read thousands of numbers an hour; days are counted beside hours, so that ninety of them are not read as two thousand
 * documents, and stay when hours end. Hours and days are those of the rules' clock; imported evaluations have documents
 * of their own.
 */

import type { RecordedRecipe } from '../../engine/run/recordResult.ts'
import { missingData } from '../../engine/run/shownRule.ts'
import { type EvaluationEvent, readClock } from '../../events/evaluation/evaluationEvents.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { Collection } from '../../stores/readStore.ts'
import { defineCollection, defineExpiry, defineProjection } from '../running/projection.ts'

/** What all of these documents say; all are by `buildCountsId`. */
export interface CountedPlan {
  readonly account: string
  readonly flow_id: string
  /** The plan's digest. */
  readonly plan: string
  /** When the hour or day began, in milliseconds since the Unix epoch. */
  readonly from: number
  /** Whether imported evaluations are counted, or those that the service answered. */
  readonly imported: boolean
  readonly evaluations: number
}

/** What evaluations of a plan came to in an hour or day. */
export interface PlanCountsDocument extends CountedPlan {
  /** Evaluations whose answer was FLAG. */
  readonly flagged: number
  /** Evaluations whose answer missing evidence could turn. */
  readonly fragile: number
  /**
   * Names for which rules were not evaluated, skipped ones included, with the evaluations in which they were missing,
   * and how many of these were fragile.
   */
  readonly missing: readonly MissingCount[]
  /** Live and shadow recipes, in the plan's order. */
  readonly recipes: readonly RecipeCounts[]
}

type MissingCount = readonly [name: string, evaluations: number, fragile: number]

export interface RecipeCounts {
  readonly recipe_id: string
  /** Evaluations that the recipe flagged. */
  readonly flagged: number
  /** Evaluations in which a rule of it was not evaluated. */
  readonly partial: number
  readonly fragile: number
  /** Evaluations in which a rule overrode the score. */
  readonly overridden: number
  /** The scores of the other evaluations, each with their number. */
  readonly scores: readonly ScoreCount[]
}

type ScoreCount = readonly [score: number, evaluations: number]

/** What the rules of a plan came to in an hour or day. */
export interface RuleCountsDocument extends CountedPlan {
  /** For each recipe of the plan, for each of its rules in order, a number for each of `ruleFigures`, flat. */
  readonly counts: readonly (readonly number[])[]
}

/**
 * Letters of `FlowEvaluated`, and `alone`: evaluations in which the recipe's verdict would have been another without
 * the rule. In all others of the evaluations the rule was `N`.
 */
export const ruleFigures = ['T', 'M', 'U', 'S', 'alone'] as const
const letters = ruleFigures.slice(0, -1).join('')

export const hourMs = 60 * 60 * 1_000
export const dayMs = 24 * hourMs

export type CountedUnit = 'hour' | 'day'

/** How long hours can be asked for. */
export const hoursAskedMs = 400 * dayMs
/** How long they are kept: with the week before, and a day for the time zone. */
const hoursKeptMs = hoursAskedMs + 8 * dayMs

const identity = { name: 'counts', version: 2 } as const
export const planCountsCollection = defineCollection<PlanCountsDocument>({
  projection: identity,
  name: 'plan_counts',
  indexes: [['from']],
})
export const planDayCountsCollection = defineCollection<PlanCountsDocument>({
  projection: identity,
  name: 'plan_day_counts',
})
export const ruleCountsCollection = defineCollection<RuleCountsDocument>({
  projection: identity,
  name: 'rule_counts',
  indexes: [['from']],
})
export const ruleDayCountsCollection = defineCollection<RuleCountsDocument>({
  projection: identity,
  name: 'rule_day_counts',
})
const dayCollections: readonly Collection[] = [planDayCountsCollection, ruleDayCountsCollection]

type Evaluated = Extract<EvaluationEvent, { type: 'FlowEvaluated' }>

export const countsProjection = defineProjection<
  Evaluated,
  PlanCountsDocument | RuleCountsDocument
>({
  ...identity,
  collections: [
    planCountsCollection,
    planDayCountsCollection,
    ruleCountsCollection,
    ruleDayCountsCollection,
  ],
  eventTypes: ['FlowEvaluated'],
  expiries: [
    defineExpiry({ collection: planCountsCollection, field: 'from', keptMs: hoursKeptMs }),
    defineExpiry({ collection: ruleCountsCollection, field: 'from', keptMs: hoursKeptMs }),
  ],
  targets: (evaluated) => {
    const dayId = buildCountsId(evaluated, 'day')
    const days = dayCollections.map((collection) => ({ collection, id: dayId }))
    // an hour that ended before the evaluation was recorded is not begun again
    if (evaluated.metadata.time - readClock(evaluated) > hoursKeptMs) return days
    const id = buildCountsId(evaluated, 'hour')
    return [
      ...days,
      { collection: planCountsCollection, id },
      { collection: ruleCountsCollection, id },
    ]
  },
  apply: (before, evaluated, { collection }) => {
    const { data } = evaluated.event
    const unitMs = dayCollections.includes(collection) ? dayMs : hourMs
    const counted = before ?? describePlan(evaluated, unitMs)
    return collection === ruleCountsCollection || collection === ruleDayCountsCollection
      ? countRules(counted as Partial<RuleCountsDocument> & CountedPlan, data)
      : countAnswer(counted as Partial<PlanCountsDocument> & CountedPlan, data)
  },
})

function describePlan(evaluated: DecodedEvent<Evaluated>, unitMs: number): CountedPlan {
  const { plan, flow_id, imported } = evaluated.event.data
  const { account } = evaluated.metadata
  const clock = readClock(evaluated)
  const from = clock - (clock % unitMs)
  return { account, flow_id, plan, from, imported: imported ?? false, evaluations: 0 }
}

/** The id of the counts: those of a flow are in the order of time. */
function buildCountsId(evaluated: DecodedEvent<Evaluated>, unit: CountedUnit): string {
  const { plan, flow_id, imported } = evaluated.event.data
  const id = `${buildCountsPrefix(evaluated.metadata.account, flow_id, { unit, timeMs: readClock(evaluated) })}/${plan}`
  return imported ? `${id}/imported` : id
}

/** What ids of counts begin with that are of the flow and the hour or day; those of earlier ones are smaller. */
export function buildCountsPrefix(
  account: string,
  flowId: string,
  { unit, timeMs }: { readonly unit: CountedUnit; readonly timeMs: number },
): string {
  const time = new Date(timeMs).toISOString().slice(0, unit === 'hour' ? 13 : 10)
  return `${account}/${flowId}/${time}`
}

/**
 * The counts with one more evaluation. Literals and loops in what follows, since this is done for every evaluation and
 * spreading takes longer.
 */
export function countAnswer(
  before: Partial<PlanCountsDocument> & CountedPlan,
  data: Evaluated['data'],
): PlanCountsDocument {
  const { account, flow_id, plan, from, imported, evaluations } = before
  const { flagged = 0, fragile = 0, missing = [], recipes = [] } = before
  return {
    account,
    flow_id,
    plan,
    from,
    imported,
    evaluations: evaluations + 1,
    flagged: data.verdict === 'FLAG' ? flagged + 1 : flagged,
    fragile: data.fragile ? fragile + 1 : fragile,
    missing: countMissing(missing, data),
    recipes: data.recipes.map((recipe, at) => countRecipe(recipes[at] ?? noneOf(recipe), recipe)),
  }
}

function countMissing(
  before: readonly MissingCount[],
  { missing = [], missing_managed: managed = [], fragile }: Evaluated['data'],
): readonly MissingCount[] {
  if (missing.length === 0 && managed.length === 0) return before
  const names = new Set(missing.map(([name]) => name))
  if (managed.length > 0) names.add(missingData)
  const one = fragile ? 1 : 0
  const counts = before.map((count): MissingCount => {
    return names.delete(count[0]) ? [count[0], count[1] + 1, count[2] + one] : count
  })
  for (const name of names) counts.push([name, 1, one])
  return counts
}

function noneOf({ recipe_id }: RecordedRecipe): RecipeCounts {
  return { recipe_id, flagged: 0, partial: 0, fragile: 0, overridden: 0, scores: [] }
}

function countRecipe(
  { recipe_id, flagged, partial, fragile, overridden, scores }: RecipeCounts,
  recipe: RecordedRecipe,
): RecipeCounts {
  const isOverridden = recipe.determined_by !== undefined
  return {
    recipe_id,
    flagged: recipe.verdict === 'FLAG' ? flagged + 1 : flagged,
    partial: /[MU]/.test(recipe.outcomes) ? partial + 1 : partial,
    fragile: recipe.fragile ? fragile + 1 : fragile,
    overridden: isOverridden ? overridden + 1 : overridden,
    scores: isOverridden ? scores : countScore(scores, recipe.score),
  }
}

function countScore(before: readonly ScoreCount[], score: number): readonly ScoreCount[] {
  const scores = before.slice()
  for (let at = 0; at < scores.length; at += 1) {
    const [known, count] = scores[at] as ScoreCount
    if (known !== score) continue
    scores[at] = [score, count + 1]
    return scores
  }
  scores.push([score, 1])
  return scores
}

function countRules(
  before: Partial<RuleCountsDocument> & CountedPlan,
  { recipes }: Evaluated['data'],
): RuleCountsDocument {
  const { account, flow_id, plan, from, imported, evaluations, counts = [] } = before
  return {
    account,
    flow_id,
    plan,
    from,
    imported,
    evaluations: evaluations + 1,
    counts: recipes.map((recipe, at) => addOutcomes(counts[at], recipe)),
  }
}

function addOutcomes(
  before: readonly number[] | undefined,
  { outcomes, alone = [] }: RecordedRecipe,
): readonly number[] {
  const width = ruleFigures.length
  const counts = before?.slice() ?? new Array<number>(outcomes.length * width).fill(0)
  for (let rule = 0; rule < outcomes.length; rule += 1) {
    const letter = outcomes.charAt(rule)
    if (letter !== 'N') addOne(counts, rule * width + letters.indexOf(letter))
  }
  for (const rule of alone) addOne(counts, rule * width + letters.length)
  return counts
}

function addOne(counts: number[], at: number): void {
  counts[at] = (counts[at] ?? 0) + 1
}
