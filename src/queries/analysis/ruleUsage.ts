/** Counts how often a rule came to each outcome, by day (heavy query). */

import { count, type ObjectOf, openObject } from '../../domain/schema.ts'
import {
  outcomeLetters,
  type PlanUsageDocument,
  planUsageCollection,
} from '../../projections/analysis/ruleUsage.ts'
import {
  type PlanDocument,
  partOfRuleCollection,
  planCollection,
  planOfPartCollection,
  planPartCollection,
} from '../../projections/evaluation/plans.ts'
import type { DocumentCollection } from '../../projections/running/projection.ts'
import { findDocuments, getDocument, type Readers } from '../reading/documents.ts'

/** Plans of one rule that are looked at: once for each part that has it. */
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

/** The outcomes are counted once for each occurrence of the rule in a recipe that ran. */
export const outcomeFields = {
  count: { ...count, description: 'Evaluations that the rule took part in.' },
  triggered: count,
  not_triggered: count,
  missing_data: { ...count, description: 'Not evaluated, since something did not arrive.' },
  unavailable: { ...count, description: "Not evaluated, for a reason on the service's side." },
  skipped: count,
} as const
export type OutcomeCounts = ObjectOf<typeof outcomeFields>

export const day = { type: 'string', description: 'A UTC day, as in 2026-08-31.' } as const

/** The days on which the rule ran, in order. */
export const usageFields = {
  days: { type: 'array', items: openObject('RuleOutcomesOfDay', { day, ...outcomeFields }) },
  truncated: {
    type: 'boolean',
    description: 'True when the rule stands in more flows than are looked at.',
  },
} as const
export type RuleUsage = ObjectOf<typeof usageFields>

/** The usage of one of the account's rules, or of a managed rule in its recipes. No days when it never ran. */
export async function findRuleUsage(readers: Readers, asked: RuleUsageAsked): Promise<RuleUsage> {
  const found = await plansOfRule(readers, asked)
  const days = new Map<string, DaySums>()
  for (const [digest, places] of found.places) {
    await addPlan(readers, { asked, digest, places, days })
  }
  return {
    days: [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([day, counts]) => named(day, counts)),
    truncated: found.truncated,
  }
}

interface PlansOfRule {
  /** The plans that are looked at, by their digests, with the parts that have the rule and its places in those. */
  readonly places: ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>
  readonly truncated: boolean
}

async function plansOfRule(
  readers: Readers,
  { account, ruleId }: RuleUsageAsked,
): Promise<PlansOfRule> {
  const places = new Map<string, Map<string, readonly number[]>>()
  const parts = await idsBehind(readers, partOfRuleCollection, {
    prefix: `${account}/${ruleId}/`,
    limit: plansMax,
  })
  let left = plansMax
  for (const part of parts) {
    if (left === 0) break
    const document = await getDocument(readers, planPartCollection, part)
    const at = (document?.body.rules ?? []).flatMap((id, rule) => (id === ruleId ? [rule] : []))
    const digests = await idsBehind(readers, planOfPartCollection, {
      prefix: `${part}/`,
      limit: left,
    })
    left -= digests.length
    for (const digest of digests) {
      const known = places.get(digest) ?? new Map<string, readonly number[]>()
      places.set(digest, known.set(part, at))
    }
  }
  return { places, truncated: left === 0 || parts.length === plansMax }
}

interface Behind {
  readonly prefix: string
  readonly limit: number
}

/** What stands behind the prefix in the ids of links. */
async function idsBehind(
  readers: Readers,
  collection: DocumentCollection<object>,
  { prefix, limit }: Behind,
): Promise<readonly string[]> {
  const where = { id: { prefix } }
  const found = await findDocuments(readers, collection, { where, limit })
  return found.map(({ id }) => id.slice(prefix.length))
}

interface DaySums {
  evaluations: number
  /** In the order of `outcomeLetters`. */
  readonly outcomes: number[]
}

interface Adding {
  readonly asked: RuleUsageAsked
  readonly digest: string
  /** Of the rule in parts of the plan. */
  readonly places: ReadonlyMap<string, readonly number[]>
  readonly days: Map<string, DaySums>
}

async function addPlan(
  readers: Readers,
  { asked, digest, places: of, days }: Adding,
): Promise<void> {
  const plan = await getDocument(readers, planCollection, digest)
  if (!plan) return
  const places = placesOf(plan.body, of)
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

/** From the places in parts to those in the recipes of the plan. */
function placesOf(
  { recipes }: PlanDocument,
  ofParts: ReadonlyMap<string, readonly number[]>,
): readonly Place[] {
  const places: Place[] = []
  for (const [recipe, { parts }] of recipes.entries()) {
    let first = 0
    for (const [part, rules] of parts) {
      for (const rule of ofParts.get(part) ?? []) places.push([recipe, first + rule])
      first += rules
    }
  }
  return places
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
