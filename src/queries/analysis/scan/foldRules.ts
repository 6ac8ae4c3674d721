/** Folds evaluations into what each rule did in them, and which rules fired whenever it did. */

import type { LabelMeaning } from '../../../domain/evaluation/labelClasses.ts'
import type { PlannedRule } from '../../../engine/run/plan.ts'
import type { RecordedRecipe, RecordedRun } from '../../../engine/run/recordResult.ts'
import type { OutcomeLetter } from '../../../engine/run/ruleAnswers.ts'
import { showBlockedBy, showRule } from '../../../engine/run/shownRule.ts'
import type { Fold } from './folds.ts'
import type { ScannedEvaluation, ScannedPlan } from './scanNames.ts'

/** How many evaluations have a label of each class, and how many have none. */
export type ByClass = Record<LabelMeaning | 'unlabelled', number>

/** A rule in one version, in live or in shadow recipes, as its account may see it. */
export interface RuleRow {
  readonly rule: Pick<PlannedRule, 'rule_id' | 'type'> & Partial<PlannedRule>
  readonly status: 'LIVE' | 'SHADOW'
  readonly fired: ByClass
  readonly not_fired: ByClass
  not_evaluated: number
  unavailable: number
  skipped: number
  /** For each name it was not evaluated for, in how many evaluations. */
  readonly missing: Map<string, number>
  /** Verdicts of recipes that would have been another without it. */
  readonly alone: ByClass
  /**
   * The rules that fired whenever it did, itself among them, as bits by their index in `ruleIds`: live ones, and of a
   * row of shadow recipes any. Undefined until it fires.
   */
  companions: Uint32Array | undefined
}

export interface RulesFolded {
  readonly evaluations: ByClass
  /** Each rule once. */
  readonly ruleIds: readonly string[]
  readonly rows: readonly RuleRow[]
}

/** Of several recipes that ran the rule in one evaluation, the first of these outcomes counts. */
const precedence: readonly string[] = ['T', 'N', 'M', 'U', 'S'] satisfies OutcomeLetter[]

/** What became of a row in one evaluation. */
interface RowOutcome {
  readonly letter: string
  /** Those that it was not evaluated for. */
  readonly names: ReadonlySet<string> | undefined
}

export function foldRules(): Fold<RulesFolded> {
  const evaluations = countNone()
  const rules = new Map<string, number>()
  const rows = new Map<string, RuleRow>()
  const rowsOfPlans = new WeakMap<ScannedPlan, readonly (readonly RuleRow[])[]>()
  const findRows = (plan: ScannedPlan) => {
    const known = rowsOfPlans.get(plan)
    if (known) return known
    const found = plan.plan.recipes.map(({ status, rules: planned }) =>
      planned.map((rule) => requireRow({ rows, rules }, rule, status)),
    )
    rowsOfPlans.set(plan, found)
    return found
  }
  return {
    needs: { plan: true, record: true, reports: true },
    add: (one) => {
      addOne(evaluations, one)
      if (one.plan) noteCompanions(countEvaluation(one, findRows(one.plan)), rules)
    },
    take: () => ({ evaluations, ruleIds: [...rules.keys()], rows: [...rows.values()] }),
  }
}

/** Counts what each row did in the evaluation, and returns it. */
function countEvaluation(
  one: ScannedEvaluation,
  rows: readonly (readonly RuleRow[])[],
): ReadonlyMap<RuleRow, RowOutcome> {
  const outcomes = new Map<RuleRow, RowOutcome>()
  for (const [index, ofRecipe] of rows.entries()) {
    const recorded = one.record?.recipes[index]
    if (!recorded) continue
    noteOutcomes(outcomes, ofRecipe, { recorded, missing: one.record?.missing })
    for (const at of recorded.alone ?? []) addOne(ofRecipe[at]?.alone, one)
  }
  for (const [row, outcome] of outcomes) countOutcome(row, outcome, one)
  return outcomes
}

/** A row is of a version; of a managed rule accounts know none. */
export function keyOfRow({ rule, status }: Pick<RuleRow, 'rule' | 'status'>): string {
  return `${rule.rule_id} ${rule.version_id ?? ''} ${status}`
}

function requireRow(
  { rows, rules }: { readonly rows: Map<string, RuleRow>; readonly rules: Map<string, number> },
  planned: PlannedRule,
  status: RuleRow['status'],
): RuleRow {
  const { expression: _, ...rule } = showRule(planned)
  const key = keyOfRow({ rule, status })
  const row = rows.get(key) ?? createRow(rule, status)
  rows.set(key, row)
  if (!rules.has(rule.rule_id)) rules.set(rule.rule_id, rules.size)
  return row
}

export function countNone(): ByClass {
  return { fraud: 0, legitimate: 0, unlabelled: 0 }
}

export function createRow(rule: RuleRow['rule'], status: RuleRow['status']): RuleRow {
  return {
    ...{ rule, status, fired: countNone(), not_fired: countNone(), alone: countNone() },
    ...{ not_evaluated: 0, unavailable: 0, skipped: 0, missing: new Map() },
    companions: undefined,
  }
}

function noteOutcomes(
  outcomes: Map<RuleRow, RowOutcome>,
  rows: readonly RuleRow[],
  {
    recorded,
    missing,
  }: { readonly recorded: RecordedRecipe; readonly missing: RecordedRun['missing'] },
): void {
  const nameOf = (row: RuleRow, index: number) =>
    // of a managed rule no name is shown
    showBlockedBy(row.rule, missing?.[index]?.[0] ?? '')
  let waiting = 0
  for (const [at, row] of rows.entries()) {
    const letter = recorded.outcomes.charAt(at)
    const blocked = letter === 'M' ? (recorded.blocked_by?.[waiting++] ?? []) : undefined
    const before = outcomes.get(row)
    if (before && precedence.indexOf(before.letter) < precedence.indexOf(letter)) continue
    const own = blocked?.map((index) => nameOf(row, index))
    const others = before?.letter === letter ? before.names : undefined
    outcomes.set(row, { letter, names: own && new Set([...own, ...(others ?? [])]) })
  }
}

function countOutcome(
  row: RuleRow,
  { letter, names }: RowOutcome,
  one: Pick<ScannedEvaluation, 'reports'>,
): void {
  if (letter === 'T') addOne(row.fired, one)
  if (letter === 'N') addOne(row.not_fired, one)
  if (letter === 'M') row.not_evaluated += 1
  if (letter === 'U') row.unavailable += 1
  if (letter === 'S') row.skipped += 1
  for (const name of names ?? []) row.missing.set(name, (row.missing.get(name) ?? 0) + 1)
}

/** Counts the evaluation by its class. */
export function addOne(
  counts: ByClass | undefined,
  { reports }: Pick<ScannedEvaluation, 'reports'>,
): void {
  if (counts) counts[reports?.label_class ?? 'unlabelled'] += 1
}

/** The rules that fired, and of each row only those that fired every time before. */
function noteCompanions(
  outcomes: ReadonlyMap<RuleRow, RowOutcome>,
  rules: ReadonlyMap<string, number>,
): void {
  const words = Math.ceil(rules.size / 32)
  const live = new Uint32Array(words)
  const any = new Uint32Array(words)
  const fired: RuleRow[] = []
  for (const [row, { letter }] of outcomes) if (letter === 'T') fired.push(row)
  for (const { rule, status } of fired) {
    const index = rules.get(rule.rule_id) ?? 0
    setBit(any, index)
    if (status === 'LIVE') setBit(live, index)
  }
  for (const row of fired) keepBits(row, row.status === 'LIVE' ? live : any)
}

/** Keeps of the row's companions those that are also in `bits`; of a row without any takes these. */
export function keepBits(row: Pick<RuleRow, 'companions'>, bits: Uint32Array): void {
  const { companions } = row
  if (!companions) {
    row.companions = bits.slice()
    return
  }
  // by index, since a flow of 2,000 rules that fire has 126,000 of these words in each evaluation
  for (let at = 0; at < companions.length; at++) {
    companions[at] = (companions[at] as number) & (bits[at] ?? 0)
  }
}

export function setBit(bits: Uint32Array, index: number): void {
  bits[index >>> 5] = (bits[index >>> 5] ?? 0) | (1 << (index & 31))
}

/** The indexes of the bits that are set, ascending. */
export function listBits(bits: Uint32Array): readonly number[] {
  const set: number[] = []
  for (let at = 0; at < bits.length; at++) {
    for (let left = bits[at] as number; left !== 0; left &= left - 1) {
      set.push(32 * at + 31 - Math.clz32(left & -left))
    }
  }
  return set
}
