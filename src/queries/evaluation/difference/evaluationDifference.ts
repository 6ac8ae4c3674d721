/** Explains why two evaluations differ: causes, other differences; hides managed rules' content. */

import { getHeapStatistics } from 'node:v8'
import type { Call } from '../../../domain/call.ts'
import { Failure } from '../../../domain/failure.ts'
import {
  type ObjectOf,
  openObject,
  optional,
  type TypeOf,
  text,
  timeSchema,
} from '../../../domain/jsonSchema.ts'
import { longWork, runInSlices } from '../../../domain/load/scheduler.ts'
import type { Steps } from '../../../domain/load/steps.ts'
import { opensPersons } from '../../../domain/shownPersons.ts'
import { isoTime } from '../../../domain/text/isoTime.ts'
import { renderCell } from '../../../engine/explain/traceNodes.ts'
import { unparse } from '../../../engine/language/unparse.ts'
import type { PlannedRule } from '../../../engine/run/plan.ts'
import { verdictSchema } from '../../../engine/run/result.ts'
import { showRule } from '../../../engine/run/shownRule.ts'
import { readClock } from '../../../events/evaluation/evaluationEvents.ts'
import type { RunnablePlan } from '../../../state/evaluation/flowPlanCache.ts'
import {
  assertUnaltered,
  type DecryptedRecord,
  decryptEvaluation,
  type RecordContext,
  requireEvidence,
} from '../decryptEvaluation.ts'
import { nameSchema } from '../evaluationView.ts'
import { listNamedVersions, loadNames, type NameLookup, type NamesContext } from '../resultNames.ts'
import { indexShownNames, showsDifference } from '../shownEvidence.ts'
import {
  type ComparedEvaluation,
  copyDerivedEvidence,
  differenceKinds,
  type InputDifference,
  listInputDifferences,
} from './inputDifferences.ts'
import { findCauses } from './verdictCauses.ts'

const side = optional({
  description:
    'Absent where there is nothing, and of versions of managed rules. Values of a person are `{"sealed": true}` for a token without the scope `analyse`.',
})

/** A difference, with the names of what it is of. */
const differenceSchema = openObject('EvaluationDifferenceItem', {
  kind: {
    type: 'string',
    enum: differenceKinds,
    description:
      'evidence: a value that arrived. list_entry: the answer of a list. semantics: the version of the meaning of rules. recipe: runs in one flow only. status: live or shadow. membership: a rule in one recipe only, by its weight. order: of rules. override: the verdict that a rule sets.',
  },
  recipe_id: optional(text),
  recipe_name: optional(nameSchema),
  rule_id: optional(text),
  rule_name: optional({ type: 'string', description: 'Of MANAGED rules the description.' }),
  name: optional({
    type: 'string',
    description: 'Of evidence, as rules name it; absent where only managed rules read it.',
  }),
  a: side,
  b: side,
})
export type DifferenceView = TypeOf<typeof differenceSchema>

const differences = { type: 'array', items: differenceSchema } as const

export const evaluationComparisonFields = {
  causes: {
    type: 'array',
    items: openObject('EvaluationDifferenceCause', {
      differences: {
        ...differences,
        description: 'Together they turn the verdict of `a` into that of `b`.',
      },
    }),
    description: 'Each does by itself. None when the verdicts are the same.',
  },
  smallest: { type: 'boolean', description: 'Whether every smaller combination was tried.' },
  others: { ...differences, description: 'Differences that are in none of the causes.' },
} as const
export type EvaluationComparison = ObjectOf<typeof evaluationComparisonFields>

/** One of two evaluations. */
const comparedSchema = openObject('ComparedEvaluation', {
  id: text,
  flow_id: text,
  flow_version_id: text,
  evaluated_at: timeSchema,
  verdict: verdictSchema,
})

export const evaluationDifferenceSchema = openObject('EvaluationDifference', {
  a: comparedSchema,
  b: comparedSchema,
  ...evaluationComparisonFields,
})
export type EvaluationDifference = TypeOf<typeof evaluationDifferenceSchema>

export type DifferenceContext = RecordContext & NamesContext

/**
 * Throws `not_found`, also for another account's, `evidence_forgotten`, `unknown_semantics`, `unavailable` for an
 * altered plan.
 */
export function findEvaluationDifference(
  context: DifferenceContext,
  call: Call,
  ids: { readonly a: string; readonly b: string },
): Promise<EvaluationDifference> {
  const { accountId } = call.principal
  return longWork(context, accountId, async () => {
    // each is looked at before the next one is read: two of the largest do not fit into the memory
    const a = await decryptEvaluation(context, call, ids.a)
    const one = toComparedEvaluation(a)
    const b = await decryptEvaluation(context, call, ids.b)
    const other = toComparedEvaluation(b)
    const named = [one, other].flatMap(({ plan }) => listNamedVersions(plan))
    const findName = await loadNames(context, accountId, named)
    const shown = { findName, opens: opensPersons(call.principal) }
    const comparison = await runInSlices(context, compareSides(one, other, shown))
    return { a: summarizeEvaluation(a), b: summarizeEvaluation(b), ...comparison }
  })
}

/** What plans that are compared may hold each: both, and one of their mixtures, stay within half of the heap. */
const bytesMax = getHeapStatistics().heap_size_limit / 8

/** Throws `unavailable` for a plan so large that comparing it could exhaust the memory. */
export function assertComparable({ bytes }: RunnablePlan): void {
  if (bytes <= bytesMax) return
  const message =
    'A flow of these evaluations is too large to be compared in the memory of this service; the operator can give it a larger heap.'
  throw new Failure('unavailable', message)
}

/**
 * What ran on record. Throws `evidence_forgotten`, `unavailable` where the plan in the log is not the one that was
 * recorded, or too large.
 */
export function toComparedEvaluation(record: DecryptedRecord): ComparedEvaluation {
  assertUnaltered(record)
  assertComparable(record.runnablePlan)
  const { plan, reads, compiled } = record.runnablePlan
  return { plan, evidence: requireEvidence(record), reads, compiled, verdict: record.data.verdict }
}

function summarizeEvaluation({ data, decoded }: DecryptedRecord): EvaluationDifference['a'] {
  const { evaluation_id: id, flow_id, flow_version_id, verdict } = data
  return { id, flow_id, flow_version_id, evaluated_at: isoTime(readClock(decoded)), verdict }
}

interface ViewOptions {
  readonly findName: NameLookup
  /** Whether personal data is opened. */
  readonly opens: boolean
}

/** Runs many mixtures of the two, one difference or rule at each step. Throws `unknown_semantics`. */
export function* compareSides(
  one: ComparedEvaluation,
  other: ComparedEvaluation,
  shown: ViewOptions,
): Steps<EvaluationComparison> {
  const [a, b] = [copyDerivedEvidence(one, other), copyDerivedEvidence(other, one)]
  const differences = yield* listInputDifferences(a, b)
  const { causes, smallest } = yield* findCauses(a, b, differences)
  const named = new Set(causes.flat())
  const rules = new Map(
    [b, a].flatMap(({ plan }) =>
      plan.recipes.flatMap((recipe) => recipe.rules.map((rule) => [rule.rule_id, rule] as const)),
    ),
  )
  const shownNames = indexShownNames([a.plan, b.plan])
  const isShown = ({ name }: InputDifference): boolean =>
    name === undefined || showsDifference(name, shownNames, [a.evidence, b.evidence])
  const views = new Map<InputDifference, DifferenceView>()
  for (const difference of differences) {
    yield
    const isAllShown = isShown(difference)
    // the name of what only managed rules read would say so
    const view = isAllShown ? toDifferenceView(difference, rules, shown) : { kind: difference.kind }
    views.set(difference, view)
  }
  const view = (difference: InputDifference) => views.get(difference) as DifferenceView
  return {
    causes: causes.map((cause) => ({ differences: cause.map(view) })),
    smallest,
    others: differences
      .filter((difference) => !named.has(difference) && isShown(difference))
      .map(view),
  }
}

function toDifferenceView(
  difference: InputDifference,
  rules: ReadonlyMap<string, PlannedRule>,
  { findName, opens }: ViewOptions,
): DifferenceView {
  const { recipe_id, rule_id, name, kind } = difference
  const rule = rules.get(rule_id ?? '')
  const ruleName = rule && (showRule(rule).name ?? findName(rule.rule_id, rule.version_id))
  const recipeName = recipe_id === undefined ? undefined : findName(recipe_id, undefined)
  const { a, b, ...of } = difference
  const shown = (value: unknown): unknown => {
    if (name !== undefined) return opens ? renderCell(name, value as string) : { sealed: true }
    if (kind !== 'rule_version') return value
    const { version_id, expression } = showRule({ ...rule, ...(value as PlannedRule) })
    if (version_id === undefined) return undefined
    return { version_id, ...(expression && { expression: unparse(expression) }) }
  }
  const [shownA, shownB] = [a, b].map((value) => (value === undefined ? value : shown(value)))
  return {
    ...of,
    ...(recipeName !== undefined && { recipe_name: recipeName }),
    ...(ruleName && { rule_name: ruleName }),
    ...(shownA !== undefined && { a: shownA }),
    ...(shownB !== undefined && { b: shownB }),
  }
}
