/** Lists how plan and evidence of two evaluations differ; applies chosen differences to one. */

import type { Steps } from '../../../domain/load/steps.ts'
import type { CompiledPlan } from '../../../engine/compile/compilePlan.ts'
import type { Evidence, EvidenceItem } from '../../../engine/run/evidence.ts'
import type { Plan, PlannedRecipe, PlannedRule } from '../../../engine/run/plan.ts'
import type { Verdict } from '../../../engine/run/result.ts'
import { answerNewCalls } from '../../../state/evaluation/gatherEvidence.ts'
import { serviceNames } from '../shownEvidence.ts'

/** An evaluation, or one that might have been. */
export interface ComparedEvaluation {
  readonly plan: Plan
  readonly evidence: Evidence
  /** Every name that the plan reads, answers of lists among them. */
  readonly reads: ReadonlySet<string>
  readonly compiled: Pick<CompiledPlan, 'computeAsks'>
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
export interface InputDifference {
  readonly kind: DifferenceKind
  readonly recipe_id?: string
  readonly rule_id?: string
  /** Of the evidence, as rules name it. */
  readonly name?: string
  readonly a?: unknown
  readonly b?: unknown
}

/**
 * The evaluation with what the service would have found out for it as well, had its plan asked: answers of calls and
 * what is parsed from the user agent are looked for only where a plan reads them.
 */
export function copyDerivedEvidence(
  to: ComparedEvaluation,
  from: ComparedEvaluation,
): ComparedEvaluation {
  const unasked = [...from.evidence].filter(
    ([name, { source }]) =>
      (source === 'list' || source === 'counter' || source === 'user_agent') &&
      !to.evidence.has(name) &&
      !to.reads.has(name),
  )
  const { evidence } = answerNewCalls(
    new Map([...to.evidence, ...unasked]),
    to.reads,
    from.compiled,
  )
  return { ...to, evidence }
}

/** Every difference, evidence first, then in the order of the plan. */
export function* listInputDifferences(
  a: ComparedEvaluation,
  b: ComparedEvaluation,
): Steps<readonly InputDifference[]> {
  const differences: InputDifference[] = []
  yield* combineEvaluations(a, b, (of, [one, other], shown = (value) => value) => {
    const was = one === undefined ? undefined : shown(one as NonNullable<typeof one>)
    const is = other === undefined ? undefined : shown(other as NonNullable<typeof other>)
    if (JSON.stringify(was) !== JSON.stringify(is)) {
      const values = { ...(was !== undefined && { a: was }), ...(is !== undefined && { b: is }) }
      differences.push({ ...of, ...values })
    }
    return one
  })
  return differences
}

/** The first side with these differences taken from the second; with all of them it is the second. */
export function applyDifferences(
  a: ComparedEvaluation,
  b: ComparedEvaluation,
  chosen: readonly InputDifference[],
): Steps<CombinedInputs> {
  const keys = new Set(chosen.map(formatDifferenceKey))
  return combineEvaluations(a, b, (of, [one, other]) =>
    keys.has(formatDifferenceKey(of)) ? other : one,
  )
}

type CombinedInputs = Pick<ComparedEvaluation, 'plan' | 'evidence'>
type DifferenceKey = Omit<InputDifference, 'a' | 'b'>
type Pair<Value> = readonly [one: Value, other: Value]

/** Answers one of two values that may differ; `shown` gives what is compared of them. */
type Choose = <Value>(
  of: DifferenceKey,
  pair: Pair<Value>,
  shown?: (value: NonNullable<Value>) => unknown,
) => Value

function formatDifferenceKey({ kind, recipe_id, rule_id, name }: DifferenceKey): string {
  return `${kind} ${recipe_id} ${rule_id} ${name}`
}

/** Combines two sides, choosing wherever they may differ, one rule at each step. */
function* combineEvaluations(
  a: ComparedEvaluation,
  b: ComparedEvaluation,
  choose: Choose,
): Steps<CombinedInputs> {
  const evidence = new Map<string, EvidenceItem>()
  for (const name of new Set([...a.evidence.keys(), ...b.evidence.keys()])) {
    const pair = [a.evidence.get(name), b.evidence.get(name)] as const
    const kind = (pair[0] ?? pair[1])?.source === 'list' ? 'list_entry' : 'evidence'
    // two evaluations are never of the same time: it counts where a rule asks for it, like the flow
    const isCompared = !serviceNames.has(name) || a.reads.has(name) || b.reads.has(name)
    const item = isCompared ? choose({ kind, name }, pair, ({ value }) => value) : pair[0]
    if (item) evidence.set(name, item)
  }
  const semantics = choose({ kind: 'semantics' }, [a.plan.semantics, b.plan.semantics])
  const [ours, theirs] = [recipesById(a.plan), recipesById(b.plan)]
  const recipes: PlannedRecipe[] = []
  for (const id of new Set([...ours.keys(), ...theirs.keys()])) {
    const recipe = yield* combineRecipes(id, [ours.get(id), theirs.get(id)], choose)
    if (recipe) recipes.push(recipe)
  }
  return { plan: { ...a.plan, semantics, recipes }, evidence }
}

function recipesById({ recipes }: Plan): ReadonlyMap<string, PlannedRecipe> {
  return new Map(recipes.map((recipe) => [recipe.recipe_id, recipe]))
}

function* combineRecipes(
  recipe_id: string,
  [one, other]: Pair<PlannedRecipe | undefined>,
  choose: Choose,
): Steps<PlannedRecipe | undefined> {
  if (!one || !other) {
    return choose({ kind: 'recipe', recipe_id }, [one, other], ({ status }) => status)
  }
  const status = choose({ kind: 'status', recipe_id }, [one.status, other.status])
  const threshold = choose({ kind: 'threshold', recipe_id }, [one.threshold, other.threshold])
  const [ours, theirs] = [rulesById(one), rulesById(other)]
  const orders = [
    [ours, theirs],
    [theirs, ours],
  ] as const
  const [first, second] = choose({ kind: 'order', recipe_id }, orders, ([some, others]) =>
    [...some.keys()].filter((id) => others.has(id)),
  )
  const rules: PlannedRule[] = []
  for (const rule_id of mergeOrders([...first.keys()], [...second.keys()])) {
    yield
    const pair = [ours.get(rule_id), theirs.get(rule_id)] as const
    const rule = combineRules({ recipe_id, rule_id }, pair, choose)
    if (rule) rules.push(rule)
  }
  return { ...one, status, threshold, rules }
}

function rulesById({ rules }: PlannedRecipe): ReadonlyMap<string, PlannedRule> {
  return new Map(rules.map((rule) => [rule.rule_id, rule]))
}

function combineRules(
  of: Pick<InputDifference, 'recipe_id' | 'rule_id'>,
  [one, other]: Pair<PlannedRule | undefined>,
  choose: Choose,
): PlannedRule | undefined {
  if (!one || !other) {
    return choose({ kind: 'membership', ...of }, [one, other], ({ weight }) => weight)
  }
  const { preempts: _, ...version } = choose(
    { kind: 'rule_version', ...of },
    [one, other],
    ({ version_id, expression }) => ({ version_id, expression }),
  )
  const weight = choose({ kind: 'weight', ...of }, [one.weight, other.weight])
  const preempts = choose({ kind: 'override', ...of }, [one.preempts, other.preempts])
  return { ...version, weight, ...(preempts && { preempts }) }
}

/** The first order, with what only the second has behind what it follows there. */
function mergeOrders(first: readonly string[], second: readonly string[]): readonly string[] {
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
