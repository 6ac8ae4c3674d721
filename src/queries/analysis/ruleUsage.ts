/** How often a rule came to each outcome. */

import {
  outcomeLetters,
  type PlanUsageDocument,
  planUsageCollection,
} from '../../projections/analysis/ruleUsage.ts'
import {
  type PlanDocument,
  planCollection,
  planOfRuleCollection,
} from '../../projections/evaluation/plans.ts'
import { findDocuments, getDocument } from '../reading/documents.ts'
import type { Readers } from '../reading/readers.ts'

/** Plans of one rule that are looked at. */
const plansMax = 1_000
/** Days of one plan that are looked at. */
const daysMax = 366

export interface RuleUsageAsked {
  readonly account: string
  readonly ruleId: string
  /** UTC days as in `2026-08-31`, both included. */
  readonly from: string
  readonly to: string
}

/** The outcomes are counted once for each place that the rule has in a recipe that ran. */
export interface OutcomeCounts {
  /** Evaluations that the rule took part in, each once. */
  readonly count: number
  readonly triggered: number
  readonly not_triggered: number
  readonly missing_data: number
  readonly unavailable: number
  readonly skipped: number
}

export interface RuleUsage {
  /** The days on which the rule ran, in order. */
  readonly days: readonly (OutcomeCounts & { readonly day: string })[]
  /** True when the rule stands in more plans than are looked at, so that the counts are too low. */
  readonly truncated: boolean
}

/** The usage of one of the account's rules, or of a managed rule in its recipes. No days when it never ran. */
export async function findRuleUsage(readers: Readers, asked: RuleUsageAsked): Promise<RuleUsage> {
  const prefix = `${asked.ruleId}/`
  const found = await findDocuments(readers, planOfRuleCollection, {
    where: { id: { prefix } },
    limit: plansMax,
  })
  const own = found.filter(({ body }) => body.account === asked.account)
  const days = new Map<string, DaySums>()
  for (const { id } of own) await addPlan(readers, { asked, digest: id.slice(prefix.length), days })
  return {
    days: [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([day, counts]) => named(day, counts)),
    truncated: found.length === plansMax,
  }
}

interface DaySums {
  evaluations: number
  /** In the order of `outcomeLetters`. */
  readonly outcomes: number[]
}

interface Adding {
  readonly asked: RuleUsageAsked
  readonly digest: string
  readonly days: Map<string, DaySums>
}

async function addPlan(readers: Readers, { asked, digest, days }: Adding): Promise<void> {
  const plan = await getDocument(readers, planCollection, digest)
  if (!plan) return
  const places = placesOf(plan.body, asked.ruleId)
  const used = await findDocuments(readers, planUsageCollection, {
    where: { id: { gte: `${digest}/${asked.from}`, lte: `${digest}/${asked.to}` } },
    limit: daysMax,
  })
  for (const { id, body } of used) {
    const day = id.slice(digest.length + 1)
    const sums = days.get(day) ?? {
      evaluations: 0,
      outcomes: new Array<number>(outcomeLetters.length).fill(0),
    }
    days.set(day, sums)
    sums.evaluations += body.evaluations
    addCounts(sums.outcomes, body.counts, places)
  }
}

type Place = readonly [recipe: number, rule: number]

function placesOf({ recipes }: PlanDocument, ruleId: string): readonly Place[] {
  return recipes.flatMap(({ rules }, recipe) =>
    rules.flatMap((id, rule): Place[] => (id === ruleId ? [[recipe, rule]] : [])),
  )
}

function addCounts(
  sums: number[],
  counts: PlanUsageDocument['counts'],
  places: readonly Place[],
): void {
  const width = outcomeLetters.length
  for (const [recipe, rule] of places) {
    for (const [at, sum] of sums.entries()) {
      sums[at] = sum + (counts[recipe]?.[rule * width + at] ?? 0)
    }
  }
}

function named(day: string, { evaluations, outcomes }: DaySums): RuleUsage['days'][number] {
  const [triggered = 0, not_triggered = 0, missing_data = 0, unavailable = 0, skipped = 0] =
    outcomes
  return { day, count: evaluations, triggered, not_triggered, missing_data, unavailable, skipped }
}
