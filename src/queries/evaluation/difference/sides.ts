/** Lists how the plans and evidence of two evaluations differ, and mixes the two. */

import type { Evidence, EvidenceItem } from '../../../engine/run/evidence.ts'
import type { Plan, PlannedRecipe, PlannedRule } from '../../../engine/run/plan.ts'
import type { Verdict } from '../../../engine/run/result.ts'

/** An evaluation, or one that might have been. */
export interface Side {
  readonly plan: Plan
  readonly evidence: Evidence
  /** Every name that the plan reads, answers of lists among them. */
  readonly reads: ReadonlySet<string>
  readonly verdict: Verdict
}

export const differenceKinds = [
  'evidence',
  'list_entry',
  'semantics',
  'recipe',
  'status',
  'threshold',
  'membership',
  'order',
  'rule_version',
  'weight',
  'override',
] as const

type DifferenceKind = (typeof differenceKinds)[number]

/** One way in which two sides differ; `a` or `b` is absent where there is nothing. */
export interface SideDifference {
  readonly kind: DifferenceKind
  readonly recipe_id?: string
  readonly rule_id?: string
  /** Of the evidence, as rules name it. */
  readonly name?: string
  readonly a?: unknown
  readonly b?: unknown
}

/** The sides, each with what the service would have found out for it as well, had its plan asked. */
export function alike(a: Side, b: Side): readonly [Side, Side] {
  return [
    { ...a, evidence: withDerived(a, b) },
    { ...b, evidence: withDerived(b, a) },
  ]
}

function withDerived({ evidence, reads }: Side, other: Side): Evidence {
  const unasked = [...other.evidence].filter(
    ([name, item]) => isDerived(item) && !evidence.has(name) && !reads.has(name),
  )
  return new Map([...evidence, ...unasked])
}

/** Looked for only where a plan reads it. */
function isDerived({ source }: EvidenceItem): boolean {
  return source === 'list' || source === 'user_agent'
}

/** Every difference, evidence first, then in the order of the plan. */
export function sideDifferences(a: Side, b: Side): readonly SideDifference[] {
  const names = [...new Set([...a.evidence.keys(), ...b.evidence.keys()])]
  const recipes = recipePairs(a.plan, b.plan)
  return [
    ...names.filter((name) => isCompared(name, a, b)).flatMap((name) => ofEvidence(name, a, b)),
    ...differing({ kind: 'semantics' }, a.plan.semantics, b.plan.semantics),
    ...recipes.flatMap(([one, other]) => ofRecipe(one, other)),
  ]
}

/** Two evaluations are never of the same time: it counts where a rule asks for it. */
function isCompared(name: string, a: Side, b: Side): boolean {
  return name !== 'request.time' || a.reads.has(name) || b.reads.has(name)
}

function ofEvidence(name: string, a: Side, b: Side): readonly SideDifference[] {
  const [one, other] = [a.evidence.get(name), b.evidence.get(name)]
  const kind = (one ?? other)?.source === 'list' ? 'list_entry' : 'evidence'
  return differing({ kind, name }, one?.value, other?.value)
}

function differing(
  of: Omit<SideDifference, 'a' | 'b'>,
  a: unknown,
  b: unknown,
): readonly SideDifference[] {
  if (JSON.stringify(a) === JSON.stringify(b)) return []
  return [{ ...of, ...(a !== undefined && { a }), ...(b !== undefined && { b }) }]
}

type Pair<Value> = readonly [one: Value | undefined, other: Value | undefined]

function recipePairs(a: Plan, b: Plan): readonly Pair<PlannedRecipe>[] {
  const [ours, theirs] = [a, b].map(
    ({ recipes }) => new Map(recipes.map((recipe) => [recipe.recipe_id, recipe])),
  )
  const ids = new Set([...(ours?.keys() ?? []), ...(theirs?.keys() ?? [])])
  return [...ids].map((id) => [ours?.get(id), theirs?.get(id)])
}

function ofRecipe(
  one: PlannedRecipe | undefined,
  other: PlannedRecipe | undefined,
): readonly SideDifference[] {
  const recipe_id = (one ?? other)?.recipe_id ?? ''
  if (!one || !other) return differing({ kind: 'recipe', recipe_id }, one?.status, other?.status)
  const [ours, theirs] = [rulesById(one), rulesById(other)]
  const both = (rules: Iterable<string>) =>
    [...rules].filter((id) => ours.has(id) && theirs.has(id))
  return [
    ...differing({ kind: 'status', recipe_id }, one.status, other.status),
    ...differing({ kind: 'threshold', recipe_id }, one.threshold, other.threshold),
    ...differing({ kind: 'order', recipe_id }, both(ours.keys()), both(theirs.keys())),
    ...merged([...ours.keys()], [...theirs.keys()]).flatMap((rule_id) =>
      ofRule({ recipe_id, rule_id }, ours.get(rule_id), theirs.get(rule_id)),
    ),
  ]
}

function rulesById({ rules }: PlannedRecipe): ReadonlyMap<string, PlannedRule> {
  return new Map(rules.map((rule) => [rule.rule_id, rule]))
}

function ofRule(
  of: Required<Pick<SideDifference, 'recipe_id' | 'rule_id'>>,
  one: PlannedRule | undefined,
  other: PlannedRule | undefined,
): readonly SideDifference[] {
  if (!one || !other) return differing({ kind: 'membership', ...of }, one?.weight, other?.weight)
  const version = ({ version_id, expression }: PlannedRule) => ({ version_id, expression })
  return [
    ...differing({ kind: 'rule_version', ...of }, version(one), version(other)),
    ...differing({ kind: 'weight', ...of }, one.weight, other.weight),
    ...differing({ kind: 'override', ...of }, one.preempts, other.preempts),
  ]
}

/** The first order, with what only the second has behind what it follows there. */
function merged(first: readonly string[], second: readonly string[]): readonly string[] {
  if (first.join() === second.join()) return first
  const order = [...first]
  let at = 0
  for (const id of second) {
    const found = order.indexOf(id)
    if (found < 0) order.splice(at, 0, id)
    at = (found < 0 ? at : found) + 1
  }
  return order
}

/** Whether the second side is taken where the two differ. */
type Takes = (kind: DifferenceKind, recipeId?: string, ruleId?: string) => boolean

/** The first side with these differences taken from the second; with all of them it is the second. */
export function mixed(
  a: Side,
  b: Side,
  chosen: readonly SideDifference[],
): Pick<Side, 'plan' | 'evidence'> {
  const evidence = new Map(a.evidence)
  for (const { name } of chosen) {
    const item = b.evidence.get(name ?? '')
    if (item) evidence.set(name ?? '', item)
    else if (name !== undefined) evidence.delete(name)
  }
  const keys = new Set(
    chosen.map(({ kind, recipe_id, rule_id }) => keyOf(kind, recipe_id, rule_id)),
  )
  const takes: Takes = (...of) => keys.has(keyOf(...of))
  const recipes = recipePairs(a.plan, b.plan).flatMap(([one, other]) =>
    mixedRecipe(one, other, takes),
  )
  const { semantics } = takes('semantics') ? b.plan : a.plan
  return { plan: { ...a.plan, semantics, recipes }, evidence }
}

function keyOf(kind: DifferenceKind, recipeId = '', ruleId = ''): string {
  return `${kind} ${recipeId} ${ruleId}`
}

function mixedRecipe(
  one: PlannedRecipe | undefined,
  other: PlannedRecipe | undefined,
  takes: Takes,
): readonly PlannedRecipe[] {
  if (!one || !other) {
    const recipe = one ?? other
    return recipe && takes('recipe', recipe.recipe_id) !== Boolean(one) ? [recipe] : []
  }
  const { recipe_id } = one
  const of = (kind: DifferenceKind) => (takes(kind, recipe_id) ? other : one)
  const { status } = of('status')
  const { threshold } = of('threshold')
  return [{ ...one, status, threshold, rules: mixedRules(one, other, takes) }]
}

function mixedRules(
  one: PlannedRecipe,
  other: PlannedRecipe,
  takes: Takes,
): readonly PlannedRule[] {
  const { recipe_id } = one
  const [ours, theirs] = [rulesById(one), rulesById(other)]
  const [first, second] = takes('order', recipe_id) ? [theirs, ours] : [ours, theirs]
  return merged([...first.keys()], [...second.keys()]).flatMap((id) => {
    const rule = ours.get(id) ?? theirs.get(id)
    if (!rule || ours.has(id) === takes('membership', recipe_id, id)) return []
    const of = (kind: DifferenceKind) =>
      (takes(kind, recipe_id, id) ? theirs.get(id) : undefined) ?? rule
    const { preempts: _, ...version } = of('rule_version')
    const { weight } = of('weight')
    const { preempts } = of('override')
    return [{ ...version, weight, ...(preempts && { preempts }) }]
  })
}
