/** Finds the recipes and flows that use a rule, and its outcomes in the last seven days. */

import type { Call } from '../../domain/call.ts'
import { requireExisting } from '../../domain/failure.ts'
import {
  countSchema,
  type ObjectOf,
  openObject,
  type TypeOf,
  text,
} from '../../domain/jsonSchema.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { type RulebookState, rulebookStream } from '../../events/rulebook/rulebook.ts'
import {
  dayMs,
  type RuleCountsDocument,
  ruleDayCountsCollection,
  ruleFigures,
} from '../../projections/analysis/counts.ts'
import {
  type PlanDocument,
  partOfRuleCollection,
  planCollection,
  planOfPartCollection,
  planPartCollection,
} from '../../projections/evaluation/plans.ts'
import {
  findDocuments,
  getDocument,
  getDocuments,
  type Readers,
} from '../../projections/running/documents.ts'
import type { DocumentCollection } from '../../projections/running/projection.ts'
import { type AccountStreams, requireAuthoring } from '../../state/accounts/requireAccess.ts'
import { membershipFields, recipeFields } from '../../state/rulebook/recipes.ts'
import type { RulebookStreams } from '../../state/rulebook/rulebookStreams.ts'
import type { HeavyContext, QueryContext } from '../reading/queryContext.ts'
import { readCounts } from './statistics/readCounts.ts'

/** The outcomes are counted once for each occurrence of the rule in a recipe that ran. */
const countFields = {
  count: { ...countSchema, description: 'Evaluations that ran the rule.' },
  triggered: countSchema,
  not_triggered: countSchema,
  missing_data: { ...countSchema, description: 'Not evaluated: evidence is missing.' },
  unavailable: { ...countSchema, description: "Not evaluated for a reason on the service's side." },
  skipped: countSchema,
} as const
type Counts = ObjectOf<typeof countFields>

/** Of live recipes, and apart from them of shadow recipes. */
const outcomeFields = {
  ...countFields,
  shadow: {
    ...openObject('ShadowOutcomes', countFields),
    description: 'The same of shadow recipes, which are not counted beside it.',
  },
} as const
type OutcomeCounts = ObjectOf<typeof outcomeFields>

const day = { type: 'string', description: 'UTC day, such as 2026-08-31.' } as const

/** The days on which the rule ran, in order. */
const usageFields = {
  days: { type: 'array', items: openObject('RuleOutcomesOfDay', { day, ...outcomeFields }) },
  truncated: {
    type: 'boolean',
    description: 'True when the rule is in more flows than are searched.',
  },
} as const
type RuleUsage = ObjectOf<typeof usageFields>

const { rule_id: _, ...memberFields } = membershipFields

export const ruleUsageSchema = openObject('RuleUsage', {
  rule_id: text,
  recipe_count: countSchema,
  recipes: {
    type: 'array',
    maxItems: 1_000,
    items: openObject('UsingRecipe', {
      id: text,
      name: recipeFields.name,
      status: recipeFields.status,
      ...memberFields,
    }),
  },
  flow_count: countSchema,
  flows: {
    type: 'array',
    maxItems: 1_000,
    items: openObject('UsingFlow', { id: text, name: text }),
  },
  evaluations: {
    ...openObject('RuleOutcomes', { from: day, to: day, ...outcomeFields, ...usageFields }),
    description:
      'Evaluations of the last seven UTC days that ran the rule in a live recipe, and how often it had each outcome, counted for each recipe that ran it.',
  },
})
export type RuleUsageView = TypeOf<typeof ruleUsageSchema>

const daysCounted = 7

/** Recipes, and flows, that are listed; more are only counted. */
const listedMax = 1_000

/** Throws `access_not_enabled`, `not_found`. */
export async function findUsageOfRule(
  context: AccountStreams &
    Pick<RulebookStreams, 'rulebooks'> &
    Pick<QueryContext, 'clock'> &
    HeavyContext<{ countRuleOutcomes: typeof countRuleOutcomes }>,
  call: Call,
  { ruleId }: { readonly ruleId: string },
): Promise<RuleUsageView> {
  await requireAuthoring(context, call)
  const account = call.principal.accountId
  const { state } = await context.rulebooks.catchUp(rulebookStream(account))
  requireExisting(state.rules.get(ruleId)?.current)
  const now = context.clock.nowMs()
  const days = { from: toUtcDay(now - (daysCounted - 1) * dayMs), to: toUtcDay(now) }
  const usage = await context.heavyQueries.countRuleOutcomes(call.principal, {
    account,
    ruleId,
    ...days,
  })
  const evaluations = { ...days, ...sumOutcomes(usage.days), ...usage }
  return { rule_id: ruleId, ...listReferrers(state, ruleId), evaluations }
}

function listReferrers(
  { rules, recipes, flows }: RulebookState,
  ruleId: string,
): Omit<RuleUsageView, 'rule_id' | 'evaluations'> {
  const recipeIds = sortByCreation(recipes, rules.get(ruleId)?.referrers ?? new Map())
  const referrers = recipeIds.flatMap((id) => [...(recipes.get(id)?.referrers.keys() ?? [])])
  const flowIds = sortByCreation(flows, new Set(referrers))
  return {
    recipe_count: recipeIds.length,
    recipes: recipeIds.slice(0, listedMax).flatMap((id) => {
      const entry = recipes.get(id)
      const member = entry?.current?.rules.find(({ rule_id }) => rule_id === ruleId)
      if (!entry?.current || !member) return []
      const { rule_id: _, ...membership } = member
      return [{ id, name: entry.current.name, status: entry.status, ...membership }]
    }),
    flow_count: flowIds.length,
    flows: flowIds
      .slice(0, listedMax)
      .map((id) => ({ id, name: flows.get(id)?.current?.name ?? '' })),
  }
}

/** These of the ids, in the order in which what has them was made. */
function sortByCreation(
  entries: Pick<RulebookState['recipes'], 'keys'>,
  ids: Pick<ReadonlySet<string>, 'has' | 'size'>,
): readonly string[] {
  return ids.size === 0 ? [] : [...entries.keys()].filter((id) => ids.has(id))
}

/** In the order of `ruleFigures`; what is none of these was `not_triggered`. */
const outcomeNames = ['triggered', 'missing_data', 'unavailable', 'skipped'] as const

type MutableCounts = { -readonly [Field in keyof Counts]: number }
type MutableOutcomes = MutableCounts & { readonly shadow: MutableCounts }

function createCounts(): MutableCounts {
  return { count: 0, triggered: 0, not_triggered: 0, missing_data: 0, unavailable: 0, skipped: 0 }
}

function createOutcomes(): MutableOutcomes {
  return { ...createCounts(), shadow: createCounts() }
}

function sumOutcomes(days: readonly OutcomeCounts[]): OutcomeCounts {
  const sums = createOutcomes()
  for (const day of days) {
    for (const field of ['count', 'not_triggered', ...outcomeNames] as const) {
      sums[field] += day[field]
      sums.shadow[field] += day.shadow[field]
    }
  }
  return sums
}

/** Plans of one rule that are looked at: once for each part that has it. */
const plansMax = 1_000
interface RuleUsageQuery {
  readonly account: string
  readonly ruleId: string
  /** UTC days as in `2026-08-31`, both included. */
  readonly from: string
  readonly to: string
}

/** Heavy query: the usage of an own rule, or of a managed rule in own recipes. No days when it never ran. */
export async function countRuleOutcomes(
  readers: Readers,
  asked: RuleUsageQuery,
): Promise<RuleUsage> {
  const found = await findPlansOfRule(readers, asked)
  const plans = await getDocuments(readers, planCollection, found.indexes.keys())
  const days = new Map<string, MutableOutcomes>()
  for (const flowId of new Set([...plans.values()].map(({ flow_id }) => flow_id))) {
    const range = {
      ...{ account: asked.account, flowId, unit: 'day' as const },
      fromMs: Date.parse(asked.from),
      toMs: Date.parse(asked.to) + dayMs,
    }
    for await (const page of readCounts(readers, ruleDayCountsCollection, range)) {
      for (const { body } of page) {
        const plan = plans.get(body.plan)
        if (plan) addDay(days, body, listRuleIndexes(plan, found.indexes.get(body.plan)))
      }
    }
  }
  const sorted = [...days].sort(([a], [b]) => (a < b ? -1 : 1))
  return { days: sorted.map(([day, sums]) => ({ day, ...sums })), truncated: found.truncated }
}

function addDay(
  days: Map<string, MutableOutcomes>,
  counted: RuleCountsDocument,
  indexes: readonly RuleIndex[],
): void {
  const day = toUtcDay(counted.from)
  const sums = days.get(day) ?? createOutcomes()
  days.set(day, sums)
  const live = indexes.filter(({ status }) => status === 'LIVE')
  addCounts(sums, counted, live)
  addCounts(
    sums.shadow,
    counted,
    indexes.filter(({ status }) => status === 'SHADOW'),
  )
}

/** The UTC day of a time in milliseconds since the Unix epoch, as in `2026-08-31`. */
function toUtcDay(timeMs: number): string {
  return isoTime(timeMs).slice(0, 10)
}

function addCounts(
  sums: MutableCounts,
  { evaluations, counts }: RuleCountsDocument,
  indexes: readonly RuleIndex[],
): void {
  if (indexes.length > 0) sums.count += evaluations
  for (const { recipe, rule } of indexes) {
    sums.not_triggered += evaluations
    for (const [at, name] of outcomeNames.entries()) {
      const count = counts[recipe]?.[rule * ruleFigures.length + at] ?? 0
      sums[name] += count
      sums.not_triggered -= count
    }
  }
}

interface PlansOfRule {
  /** The plans that are looked at, by their digests, with the parts that have the rule and its indexes in those. */
  readonly indexes: ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>
  readonly truncated: boolean
}

async function findPlansOfRule(
  readers: Readers,
  { account, ruleId }: RuleUsageQuery,
): Promise<PlansOfRule> {
  const indexes = new Map<string, Map<string, readonly number[]>>()
  const parts = await listLinkedIds(readers, partOfRuleCollection, {
    prefix: `${account}/${ruleId}/`,
    limit: plansMax,
  })
  let left = plansMax
  for (const part of parts) {
    if (left === 0) break
    const document = await getDocument(readers, planPartCollection, part)
    const at = (document?.body.rules ?? []).flatMap((id, rule) => (id === ruleId ? [rule] : []))
    const digests = await listLinkedIds(readers, planOfPartCollection, {
      prefix: `${part}/`,
      limit: left,
    })
    left -= digests.length
    for (const digest of digests) {
      const known = indexes.get(digest) ?? new Map<string, readonly number[]>()
      indexes.set(digest, known.set(part, at))
    }
  }
  return { indexes, truncated: left === 0 || parts.length === plansMax }
}

/** The rests of the ids of links behind the prefix. */
async function listLinkedIds(
  readers: Readers,
  collection: DocumentCollection<object>,
  { prefix, limit }: { readonly prefix: string; readonly limit: number },
): Promise<readonly string[]> {
  const where = { id: { prefix } }
  const found = await findDocuments(readers, collection, { where, limit })
  return found.map(({ id }) => id.slice(prefix.length))
}

/** Where a rule stands in a plan. */
interface RuleIndex {
  readonly recipe: number
  readonly status: 'LIVE' | 'SHADOW'
  readonly rule: number
}

/** From the indexes in parts to those in the recipes of the plan. */
function listRuleIndexes(
  { recipes }: PlanDocument,
  ofParts: ReadonlyMap<string, readonly number[]> = new Map(),
): readonly RuleIndex[] {
  const indexes: RuleIndex[] = []
  for (const [recipe, { status, parts }] of recipes.entries()) {
    let first = 0
    for (const [part, rules] of parts) {
      for (const rule of ofParts.get(part) ?? []) {
        indexes.push({ recipe, status, rule: first + rule })
      }
      first += rules
    }
  }
  return indexes
}
