/** Reports what each rule did in recorded evaluations, and how well it agrees with labels. */

import type { Call } from '../../domain/call.ts'
import { type LabelMeaning, labelMeanings } from '../../domain/evaluation/labelClasses.ts'
import {
  asSchemaOf,
  booleanSchema,
  countSchema,
  openObject,
  optional,
  type TypeOf,
  text,
  timeSchema,
} from '../../domain/jsonSchema.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import {
  type ByClass,
  countNone,
  createRow,
  keepBits,
  keyOfRow,
  listBits,
  type RuleRow,
  type RulesFolded,
  setBit,
} from './scan/foldRules.ts'
import {
  prepareScan,
  runScan,
  type ScanContext,
  type ScanRange,
  type ScanStep,
} from './scan/scan.ts'
import { computeShare, type Share, shareSchema } from './shares.ts'

export interface RulesReportQuery extends Pick<ScanRange, 'where' | 'fromMs' | 'toMs'> {
  readonly flowId?: string
  /** The class that rules are meant to find. */
  readonly labelClass: LabelMeaning
  /** Aborted once nobody waits for the report. */
  readonly signal: AbortSignal
}

const byClassSchema = openObject(
  'CountByLabelClass',
  {
    fraud: countSchema,
    legitimate: countSchema,
    unlabelled: { ...countSchema, description: 'Without a label that has a class.' },
  },
  { description: 'Evaluations; under `alone` verdicts of recipes that the rule alone turned.' },
)

/** A share, or null where there is nothing that it could be of. */
const shareOrNull = (description: string) =>
  asSchemaOf<Share | null>({ anyOf: [shareSchema, { type: 'null' }], description })

const reportedRuleSchema = openObject('ReportedRule', {
  rule_id: text,
  type: { type: 'string', enum: ['MANAGED', 'CUSTOM'] },
  name: optional({ type: 'string', description: 'Present for CUSTOM.' }),
  version_id: optional({
    type: 'string',
    description: 'The version that ran; present for CUSTOM.',
  }),
  status: {
    type: 'string',
    enum: ['LIVE', 'SHADOW'],
    description: 'Of the recipes that ran it: of a rule that ran in both there are two rows.',
  },
  fires: asSchemaOf<'always' | 'never' | 'sometimes' | null>({
    enum: ['always', 'never', 'sometimes', null],
    description: 'Of the evaluations on which it ran; null where it ran on none.',
  }),
  fired: byClassSchema,
  not_fired: byClassSchema,
  not_evaluated: { ...countSchema, description: 'Evaluations that lacked evidence for it.' },
  missing: {
    type: 'array',
    items: openObject('MissingName', { name: text, evaluations: countSchema }),
    description: 'The names it was not evaluated for, most often missing first.',
  },
  skipped: { ...countSchema, description: 'Evaluations that an overriding rule had decided.' },
  unavailable: countSchema,
  precision: shareOrNull('Of the labelled evaluations on which it fired, those of the class.'),
  recall: shareOrNull('Of the evaluations of the class on which it ran, those on which it fired.'),
  lift: shareOrNull(
    'Its precision against the share of the class in the labelled evaluations on which it ran.',
  ),
  false_positives: {
    ...countSchema,
    description: 'It fired, and the label is of the other class.',
  },
  alone: byClassSchema,
  contained_in: optional({
    ...openObject('ContainingRule', {
      rule_id: text,
      name: optional({ type: 'string', description: 'Present for CUSTOM.' }),
    }),
    description: 'The narrowest other rule that fired whenever it did, at least five times.',
  }),
})
type ReportedRule = TypeOf<typeof reportedRuleSchema>

/** Rows of one report, and rules that others can be contained in. */
const reportedRulesMax = 5_000

export const rulesReportSchema = openObject('RulesReport', {
  from: timeSchema,
  to: timeSchema,
  label_class: { type: 'string', enum: labelMeanings },
  evaluations: byClassSchema,
  rules: { type: 'array', items: reportedRuleSchema },
  truncated: {
    ...booleanSchema,
    description: `True when more than ${reportedRulesMax} rules and versions ran: the rest is left out.`,
  },
})
export type RulesReport = TypeOf<typeof rulesReportSchema>

/** Steps of the report, and what adds them up. Throws as `prepareScan`. */
export async function reportRules(
  context: ScanContext,
  call: Call,
  { flowId, labelClass, signal, where = '', ...times }: RulesReportQuery,
): Promise<{
  readonly steps: AsyncIterable<ScanStep<RulesFolded>>
  readonly sum: {
    readonly add: (folded: RulesFolded) => void
    readonly result: () => RulesReport
  }
}> {
  const range = { ...times, where: addFlow(flowId, where) }
  const plan = await prepareScan(context, call, { range, fold: { kind: 'rules' } })
  const sum = createSum()
  return {
    steps: runScan(context, plan, { kind: 'rules', signal }),
    sum: {
      add: (folded) => addFolded(sum, folded),
      result: () => ({
        from: isoTime(plan.fromMs),
        to: isoTime(plan.toMs),
        label_class: labelClass,
        evaluations: sum.evaluations,
        rules: listReportedRules(sum, labelClass),
        truncated: sum.truncated,
      }),
    },
  }
}

/** A `where` that is also of the flow. */
export function addFlow(flowId: string | undefined, where: string): string {
  if (flowId === undefined) return where
  return where.trim() === '' ? `flow = ${flowId}` : `flow = ${flowId} and ${where}`
}

/** What the slices add up to. */
interface Sum {
  readonly evaluations: ByClass
  readonly rows: Map<string, RuleRow>
  /** Of each rule its bit in the companions of the rows. */
  readonly bits: Map<string, number>
  truncated: boolean
}

export function createSum(): Sum {
  return { evaluations: countNone(), rows: new Map(), bits: new Map(), truncated: false }
}

/** Adds a slice; past so many rows only those that are known count. */
export function addFolded(sum: Sum, folded: RulesFolded, rowsMax = reportedRulesMax): void {
  const { bits } = sum
  addByClass(sum.evaluations, folded.evaluations)
  for (const rule of folded.ruleIds) {
    if (!bits.has(rule) && bits.size < rowsMax) bits.set(rule, bits.size)
  }
  const numbers = folded.ruleIds.map((rule) => bits.get(rule))
  // as where slices are of the same flow
  const isSame = numbers.every((bit, at) => bit === at)
  for (const row of folded.rows) {
    const known = findRow(sum, row, rowsMax)
    if (!known) {
      sum.truncated = true
      continue
    }
    addRow(known, row)
    const { companions } = row
    if (companions) keepBits(known, isSame ? companions : mapBits(companions, numbers, bits.size))
  }
}

/** The row of the sum, a new one while there are not too many. */
function findRow({ rows }: Pick<Sum, 'rows'>, row: RuleRow, rowsMax: number): RuleRow | undefined {
  const key = keyOfRow(row)
  const known = rows.get(key)
  if (known || rows.size >= rowsMax) return known
  const made = createRow(row.rule, row.status)
  rows.set(key, made)
  return made
}

function addRow(sum: RuleRow, row: RuleRow): void {
  addByClass(sum.fired, row.fired)
  addByClass(sum.not_fired, row.not_fired)
  addByClass(sum.alone, row.alone)
  sum.not_evaluated += row.not_evaluated
  sum.unavailable += row.unavailable
  sum.skipped += row.skipped
  for (const [name, count] of row.missing) {
    sum.missing.set(name, (sum.missing.get(name) ?? 0) + count)
  }
}

/** The bits by these numbers; those without one are left out. */
function mapBits(
  bits: Uint32Array,
  numbers: readonly (number | undefined)[],
  size: number,
): Uint32Array {
  const mapped = new Uint32Array(Math.ceil(size / 32))
  for (const at of listBits(bits)) {
    const bit = numbers[at]
    if (bit !== undefined) setBit(mapped, bit)
  }
  return mapped
}

export function addByClass(sum: ByClass, counts: ByClass): void {
  sum.fraud += counts.fraud
  sum.legitimate += counts.legitimate
  sum.unlabelled += counts.unlabelled
}

export function totalOf({ fraud, legitimate, unlabelled }: ByClass): number {
  return fraud + legitimate + unlabelled
}

/** Live rules first, those that fired most before others. */
function listReportedRules(sum: Sum, labelClass: LabelMeaning): readonly ReportedRule[] {
  const findContainer = openContainers(sum)
  return [...sum.rows.values()]
    .toSorted(
      (one, other) =>
        compareTexts(one.status, other.status) ||
        totalOf(other.fired) - totalOf(one.fired) ||
        compareTexts(keyOfRow(one), keyOfRow(other)),
    )
    .map((row) => ({ ...toReportedRule(row, labelClass), ...findContainer(row) }))
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

function toReportedRule(row: RuleRow, labelClass: LabelMeaning): ReportedRule {
  const { rule, status, fired, not_fired, not_evaluated, skipped, unavailable, alone } = row
  const { rule_id, type, name, version_id } = rule
  const other = labelClass === 'fraud' ? 'legitimate' : 'fraud'
  const found = fired[labelClass]
  const labelled = found + fired[other]
  const ofClass = found + not_fired[labelClass]
  const precision = computeShare(found, labelled)
  const base = ofClass / (ofClass + fired[other] + not_fired[other])
  return {
    ...{ rule_id, type, ...(name !== undefined && { name }) },
    ...(version_id !== undefined && { version_id }),
    ...{ status, fires: describeFiring(row), fired, not_fired, not_evaluated },
    missing: [...row.missing]
      .map(([missing, evaluations]) => ({ name: missing, evaluations }))
      .toSorted((a, b) => b.evaluations - a.evaluations || compareTexts(a.name, b.name)),
    ...{ skipped, unavailable, precision },
    recall: computeShare(found, ofClass),
    lift: precision && ofClass > 0 ? divideShare(precision, base) : null,
    false_positives: fired[other],
    alone,
  }
}

function divideShare({ value, low, high, of }: Share, by: number): Share {
  return { value: value / by, low: low / by, high: high / by, of }
}

function describeFiring({ fired, not_fired }: Pick<RuleRow, 'fired' | 'not_fired'>) {
  const [times, others] = [totalOf(fired), totalOf(not_fired)]
  if (times + others === 0) return null
  if (times === 0) return 'never'
  return others === 0 ? 'always' : 'sometimes'
}

/** Firings from which on a rule is said to be contained in another. */
const firingsMin = 5

/** What a rule did in all its versions. */
interface Firings {
  readonly name: string | undefined
  fired: number
  not_fired: number
}

/** Finds the rule that fired least often of those that fired whenever this one did, and not always. */
function openContainers({ rows, bits }: Sum) {
  const rules = [...bits.keys()]
  const live = countFirings([...rows.values()].filter(({ status }) => status === 'LIVE'))
  const any = countFirings([...rows.values()])
  return (row: RuleRow): Pick<ReportedRule, 'contained_in'> => {
    if (!row.companions || totalOf(row.fired) < firingsMin) return {}
    const among = row.status === 'LIVE' ? live : any
    const [narrowest] = listBits(row.companions)
      .map((bit) => rules[bit] ?? '')
      .flatMap((rule_id) => {
        const firings = rule_id === row.rule.rule_id ? undefined : among.get(rule_id)
        return firings && firings.not_fired > 0 ? [{ rule_id, ...firings }] : []
      })
      .toSorted((a, b) => a.fired - b.fired || compareTexts(a.rule_id, b.rule_id))
    if (!narrowest) return {}
    const { rule_id, name } = narrowest
    return { contained_in: { rule_id, ...(name !== undefined && { name }) } }
  }
}

function countFirings(rows: readonly RuleRow[]): ReadonlyMap<string, Firings> {
  const rules = new Map<string, Firings>()
  for (const { rule, fired, not_fired } of rows) {
    const firings = rules.get(rule.rule_id) ?? { name: rule.name, fired: 0, not_fired: 0 }
    firings.fired += totalOf(fired)
    firings.not_fired += totalOf(not_fired)
    rules.set(rule.rule_id, firings)
  }
  return rules
}
