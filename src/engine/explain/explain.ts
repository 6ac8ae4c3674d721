/** Explains an evaluation: the reads of each rule, their sources, all subexpression values. */

import { asSchemaOf, openObject, optional, type TypeOf, text } from '../../domain/jsonSchema.ts'
import type { Steps } from '../../domain/load/steps.ts'
import { personal } from '../../domain/shownPersons.ts'
import type { CompiledPlan, PlanRun } from '../compile/compilePlan.ts'
import type { CompiledRule } from '../compile/compilePlannedRule.ts'
import { type NameNode, type ReadNode, visitNodes } from '../language/expression.ts'
import { charges } from '../language/operationCosts.ts'
import { ruleLimits } from '../language/ruleLimits.ts'
import { unparse } from '../language/unparse.ts'
import {
  type Evidence,
  type EvidenceItem,
  evidenceFields,
  type NotCounted,
  notCountedFields,
  type Unanswered,
} from '../run/evidence.ts'
import type { RecipeResult, RuleResult } from '../run/result.ts'
import type { RuleAnswer } from '../run/ruleAnswers.ts'
import { showRule } from '../run/shownRule.ts'
import { type ExplainedCounter, explainCounters } from './explainCounters.ts'
import { traceExpression, traceReadsOnly } from './traceExpression.ts'
import {
  type RuleInputs,
  renderCell,
  resolveRuleInputs,
  type Trace,
  type TraceBudget,
  traceRead,
} from './traceNodes.ts'

export interface ExplainOptions {
  /** Whether to add the value of every part of every rule, up to `limits.runTraceNodes` parts. */
  readonly parts?: boolean
  /** The run to explain; the plan is run when it is absent. */
  readonly run?: PlanRun
  /** Signals that were sent and are not evidence. */
  readonly notCounted?: readonly NotCounted[]
  /** The calls that were asked and have no answer. */
  readonly unanswered?: Unanswered
}

interface ExplainedRule extends RuleResult {
  /** The rule in canonical text. */
  readonly expression?: string
  /** Why the rule was not evaluated although what it waits for arrived. */
  readonly problem?: string
  readonly reads?: readonly ExplainedRead[]
  /** Absent when it has none. */
  readonly counters?: readonly ExplainedCounter[]
  readonly parts?: Trace
}

export interface ExplainedRecipe extends Omit<RecipeResult, 'rules'> {
  readonly status: 'LIVE' | 'SHADOW'
  readonly rules: readonly ExplainedRule[]
}

/** Runs the plan and explains every recipe, live and shadow, in the plan's order; one rule at each step. */
export function* explain(
  plan: CompiledPlan,
  evidence: Evidence,
  options: ExplainOptions = {},
): Steps<readonly ExplainedRecipe[]> {
  const steps = charges.countedStepsMax + charges.uncountedStepsMax
  const { runTraceNodes: parts, runReadValues: values } = ruleLimits
  const view: View = { evidence, options, left: { parts, steps, values } }
  const { runs } = options.run ?? (yield* plan.runSteps(evidence))
  const recipes: ExplainedRecipe[] = []
  for (const { recipe, answers, result } of runs) {
    const { rules: _, ...rest } = result
    const rules: ExplainedRule[] = []
    for (const [index, rule] of recipe.rules.entries()) {
      rules.push(explainRule(rule, answers[index] as RuleAnswer, view))
      yield
    }
    recipes.push({ ...rest, status: recipe.plannedRecipe.status, rules })
  }
  return recipes
}

interface View {
  readonly evidence: Evidence
  readonly options: ExplainOptions
  /** `values`: of reads that may still be shown. */
  readonly left: TraceBudget & { values: number }
}

function explainRule(
  { planned: rule, isRunnable }: CompiledRule,
  answer: RuleAnswer,
  { evidence, options, left }: View,
): ExplainedRule {
  const { expression } = showRule(rule)
  // one that could not be compiled cannot be shown either
  if (!expression || !isRunnable) return answer.result
  const seen = resolveRuleInputs(expression, evidence)
  const reads = explainReads(seen, left, options.notCounted)
  const parts = options.parts === true && left.parts > 0 && explainParts(seen, answer, left)
  const counters = explainCounters(expression, {
    evidence,
    unanswered: options.unanswered ?? new Map(),
  })
  const problem = answer.letter === 'M' && findProblem(seen, parts || undefined, left)
  return {
    ...answer.result,
    ...(problem && { problem }),
    expression: unparse(expression),
    reads,
    ...(counters.length > 0 && { counters }),
    ...(parts && { parts }),
  }
}

/** Why a rule was blocked on a name that arrived; undefined when the name did not. */
function findProblem(
  seen: RuleInputs,
  parts: Trace | undefined,
  left: TraceBudget,
): string | undefined {
  const lacking = [...seen.neededReads].find((read) => seen.findReadValue(read) === undefined)
  if (lacking) return traceRead(lacking, seen).problem
  const failed = parts ?? (left.parts > 0 ? traceExpression(seen, left) : undefined)
  return (
    (failed && findPartProblem(failed)) ??
    'A part of the rule failed on what arrived: test the rule alone to see which.'
  )
}

/** The first problem in the order of evaluation. */
function findPartProblem({ needed, problem, parts = [] }: Trace): string | undefined {
  if (needed === false) return undefined
  for (const part of parts) {
    const found = findPartProblem(part)
    if (found !== undefined) return found
  }
  return problem
}

/** Of a rule; personal, as it quotes what was read. */
export const problemSchema = {
  type: 'string',
  description:
    'For rules that were not evaluated although what they wait for arrived: what was read, what went wrong, and what to write instead.',
} as const

/** A skipped or unavailable rule shows only its reads; any other shows its outcome as the value of the whole. */
function explainParts(seen: RuleInputs, { letter }: RuleAnswer, left: TraceBudget): Trace {
  if (letter === 'S' || letter === 'U') return traceReadsOnly(seen, left)
  const parts = traceExpression(seen, left)
  // a tree too large to be followed to its end
  if (letter === 'M' || parts.state === 'value') return parts
  return { ...parts, state: 'value', value: letter === 'T' }
}

/** A name that a rule reads (`read`) or checks (`has`), and the evidence for it. */
export const explainedReadSchema = openObject('ExplainedRead', {
  name: text,
  use: { type: 'string', enum: ['read', 'has'] },
  convert: optional(
    asSchemaOf<NonNullable<ReadNode['convert']>>({
      type: 'string',
      description: 'The conversion applied to the value read.',
    }),
  ),
  needed: optional({
    type: 'boolean',
    const: false,
    description: 'Present on a read that a guard with has() made unnecessary.',
  }),
  arrived: {
    type: 'boolean',
    description: 'False also for a value that arrived and does not convert; it is shown.',
  },
  // times in ISO 8601
  value: optional(personal(evidenceFields.value)),
  source: optional(evidenceFields.source),
  not_counted: optional({
    type: 'array',
    items: openObject('NotCountedValue', {
      ...notCountedFields,
      value: personal(notCountedFields.value),
    }),
    description: 'Values sent under the name that did not count; absent when there were none.',
  }),
})
export type ExplainedRead = TypeOf<typeof explainedReadSchema>

/** Each name, use and conversion once, in order of appearance; needed reads before others of the same name. */
function explainReads(
  seen: RuleInputs,
  budget: View['left'],
  notCounted: readonly NotCounted[] = [],
): readonly ExplainedRead[] {
  const reads = new Map<string, ExplainedRead>()
  const needed = new Set([...seen.neededReads].map(formatReadKey))
  visitNodes(seen.expression, (node) => {
    if (node.kind !== 'read' && node.kind !== 'has') return
    const key = formatReadKey(node)
    const later = node.kind === 'read' && needed.has(key) && !seen.neededReads.has(node)
    if (reads.has(key) || later) return
    const { name, kind: use } = node
    const item = seen.findItem(name)
    const left = notCounted.filter((signal) => signal.name === name)
    reads.set(key, {
      name,
      use,
      ...(node.kind === 'read' && node.convert && { convert: node.convert }),
      ...(node.kind === 'read' && !needed.has(key) && { needed: false as const }),
      ...explainItem(name, item, budget),
      ...(item && isUnreadable(node, seen) && { arrived: false }),
      ...(left.length > 0 && { not_counted: left.map(({ name: _, ...signal }) => signal) }),
    })
  })
  return [...reads.values()]
}

function isUnreadable(node: NameNode, { findReadValue }: RuleInputs): boolean {
  return node.kind === 'read' && findReadValue(node) === undefined
}

function explainItem(name: string, item: EvidenceItem | undefined, budget: View['left']) {
  if (!item) return { arrived: false }
  budget.values -= 1
  if (budget.values < 0) return { arrived: true }
  return { arrived: true, value: renderCell(name, item.value), source: item.source }
}

function formatReadKey(
  node: Pick<ReadNode, 'name' | 'convert'> & { readonly kind: string },
): string {
  return `${node.kind} ${node.convert ?? ''} ${node.name}`
}
