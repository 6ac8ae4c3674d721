/** Why an evaluation came out as it did: for every rule what it read, where that came from, and what each part of it gave. */

import type { CompiledPlan } from '../compile/compilePlan.ts'
import type { CompiledRule } from '../compile/compileRule.ts'
import type { Expression, ReadNode } from '../language/expression.ts'
import { limits } from '../language/limits.ts'
import { collect } from '../language/readsOf.ts'
import { unparse } from '../language/unparse.ts'
import type { Cell } from '../language/values/value.ts'
import type { Evidence, EvidenceSource } from '../run/evidence.ts'
import type { NotCounted } from '../run/notCounted.ts'
import type { RecipeResult, RuleResult } from '../run/result.ts'
import type { RuleAnswer } from '../run/ruleAnswers.ts'
import { answersOf, type RecipeRun } from '../run/runRecipe.ts'
import { shownCell } from './shownCell.ts'
import { idleTrace, type Trace, traceExpression } from './trace.ts'

export interface ExplainOptions {
  /** `hidden` is the customer's view: of managed rules only what the answer says. */
  readonly managed: 'hidden' | 'shown'
  /** Whether to give the value of every part of every rule; within `limits.runTraceNodes`, the first rules first. */
  readonly parts?: boolean
  /** What was sent and is not in the evidence. */
  readonly notCounted?: readonly NotCounted[]
}

/** A name that a rule reads (`read`) or asks for (`has`), and what arrived under it. */
interface ExplainedRead {
  readonly name: string
  readonly use: 'read' | 'has'
  readonly convert?: NonNullable<ReadNode['convert']>
  readonly arrived: boolean
  /** Times in ISO 8601. */
  readonly value?: Cell
  readonly source?: EvidenceSource
  /** What was sent under the name and did not count; absent when nothing was. */
  readonly not_counted?: readonly Omit<NotCounted, 'name'>[]
}

interface ExplainedRule extends RuleResult {
  /** The rule in canonical text. */
  readonly expression?: string
  readonly reads?: readonly ExplainedRead[]
  readonly parts?: Trace
}

interface ExplainedRecipe extends Omit<RecipeResult, 'rules'> {
  readonly status: 'LIVE' | 'SHADOW'
  readonly rules: readonly ExplainedRule[]
}

/** Runs the plan over the evidence and explains every recipe, live and shadow, in the plan's order. */
export function explain(
  plan: CompiledPlan,
  evidence: Evidence,
  options: ExplainOptions,
): readonly ExplainedRecipe[] {
  const view = { evidence, options, left: { nodes: limits.runTraceNodes } }
  return plan.run(evidence).runs.map((run) => explainRecipe(run, view))
}

function explainRecipe(run: RecipeRun, view: View): ExplainedRecipe {
  const { recipe, result } = run
  const { rules: _, ...rest } = result
  const answers = answersOf(run)
  const rules = recipe.rules.flatMap((rule, index) => {
    const answer = answers[index]
    return answer ? [explainRule(rule, answer, view)] : []
  })
  return { ...rest, status: recipe.planned.status, rules }
}

interface View {
  readonly evidence: Evidence
  readonly options: ExplainOptions
  /** How much the parts of the rules still to come may hold. */
  readonly left: { nodes: number }
}

function explainRule(
  { planned: rule, runs }: CompiledRule,
  answer: RuleAnswer,
  view: View,
): ExplainedRule {
  // an expression that could not be compiled cannot be shown either
  const expression = runs ? rule.expression : undefined
  if (rule.type === 'MANAGED' && view.options.managed === 'hidden') return answer.result
  return {
    ...answer.result,
    name: rule.name,
    version_id: rule.version_id,
    ...(answer.blockedBy !== undefined && { blocked_by: answer.blockedBy }),
    ...(expression && {
      expression: unparse(expression),
      reads: readsIn(expression, view),
      ...(view.options.parts === true && withParts(expression, answer, view)),
    }),
  }
}

/** The parts, as long as all rules together have not used up what one explanation may hold. */
function withParts(
  expression: Expression,
  answer: RuleAnswer,
  { evidence, left }: View,
): { readonly parts?: Trace } {
  if (left.nodes <= 0) return {}
  const parts = partsIn(expression, answer, evidence)
  left.nodes -= sizeOf(parts)
  return { parts }
}

function sizeOf({ parts = [] }: Trace): number {
  return parts.reduce((sum, part) => sum + sizeOf(part), 1)
}

function readsIn(expression: Expression, { evidence, options }: View): readonly ExplainedRead[] {
  const { notCounted = [] } = options
  const reads = new Map<string, ExplainedRead>()
  collect(expression, (node) => {
    if (node.kind !== 'read' && node.kind !== 'has') return
    const convert = node.kind === 'read' ? node.convert : undefined
    const key = `${node.kind} ${convert ?? ''} ${node.name}`
    if (reads.has(key)) return
    const item = arrivedItem(evidence, node.name)
    const left = notCounted.filter(({ name }) => name === node.name)
    reads.set(key, {
      name: node.name,
      use: node.kind,
      ...(convert && { convert }),
      arrived: item !== undefined,
      ...(item && { value: shownCell(node.name, item.value), source: item.source }),
      ...(left.length > 0 && { not_counted: left.map(({ name: _, ...signal }) => signal) }),
    })
  })
  return [...reads.values()]
}

/** An empty text did not arrive. */
function arrivedItem(evidence: Evidence, name: string): ReturnType<Evidence['get']> {
  const item = evidence.get(name)
  return item?.value === '' ? undefined : item
}

/** A rule that was skipped or could not run has no values but its reads. */
function partsIn(
  expression: Expression,
  { letter, blockedBy }: RuleAnswer,
  evidence: Evidence,
): Trace {
  const lookUp = (name: string): Cell | undefined => arrivedItem(evidence, name)?.value
  const waited = letter === 'M' && blockedBy !== undefined && isRead(expression, blockedBy, lookUp)
  return letter === 'S' || letter === 'U'
    ? idleTrace(expression, lookUp)
    : traceExpression(expression, lookUp, waited)
}

/** Whether the name is one that the rule needs before it runs, and lacks. */
function isRead(
  expression: Expression,
  name: string,
  lookUp: (name: string) => Cell | undefined,
): boolean {
  let lacks = false
  collect(expression, (node) => {
    if (node.kind !== 'read' || node.name !== name) return
    lacks ||= idleTrace(node, lookUp).state === 'missing'
  })
  return lacks
}
