/** Compiles one rule of a plan, runs it, and estimates the memory that it takes. */

import { type Expression, listReads, usesHas, visitNodes } from '../language/expression.ts'
import { sumPatternSizes } from '../language/rulePatternSizes.ts'
import type { PlannedRule } from '../run/plan.ts'
import { buildRuleAnswers, type RuleAnswer, type RuleAnswers } from '../run/ruleAnswers.ts'
import type { CompileContext, Evaluator } from './compiledExpression.ts'
import { compileExpression } from './compileExpression.ts'
import { compileMissingCheck, type MissingCheck } from './compileMissingCheck.ts'
import { failRule, type Memory } from './planMemory.ts'

/** A compiled rule; the fields that a run reads are in one object. */
export interface CompiledRule extends Program {
  readonly planned: PlannedRule
  readonly answers: RuleAnswers
  readonly triggered: RuleAnswer
  readonly notTriggered: RuleAnswer
  readonly weight: number
}

interface Program {
  /** False for a rule without an expression that this version can run: its condition fails. */
  readonly isRunnable: boolean
  readonly condition: Evaluator
  /** The slots of the rule's reads, in order of appearance. */
  readonly slots: readonly number[]
  /** For each slot, the answer when it is empty. */
  readonly blockedAnswers: readonly RuleAnswer[]
  /** For a rule with guards: the check in place of `slots`, for missing reads that they let be reached. */
  readonly missingCheck: MissingCheck | undefined
  /** The most steps the condition takes. */
  readonly stepsMax: number
  /** Whether steps are counted while the condition runs. */
  readonly countsSteps: boolean
}

/** What all rules of a plan share while they are compiled. */
export type PlanScope = Pick<
  CompileContext,
  'memory' | 'slots' | 'memoizedOperations' | 'lookups' | 'semantics'
>

/**
 * Compiles a rule; its steps are counted while it runs when they could exceed `countFrom`. A rule without expression, or with one
 * of another version of the language, is unavailable.
 */
export function compilePlannedRule(
  planned: PlannedRule,
  plan: PlanScope,
  countFrom: number = plan.semantics.charges.ruleStepsMax,
): CompiledRule {
  const answers = buildRuleAnswers(planned)
  const program = compileProgram(planned, { plan, answers, countFrom })
  // field by field: an object made by spreading is read much more slowly
  return {
    condition: program.condition,
    triggered: answers.triggered,
    notTriggered: answers.notTriggered,
    weight: planned.weight,
    slots: program.slots,
    blockedAnswers: program.blockedAnswers,
    missingCheck: program.missingCheck,
    countsSteps: program.countsSteps,
    stepsMax: program.stepsMax,
    isRunnable: program.isRunnable,
    planned,
    answers,
  }
}

interface RuleScope {
  readonly plan: PlanScope
  readonly answers: RuleAnswers
  readonly countFrom: number
}

function compileProgram({ expression }: PlannedRule, scope: RuleScope): Program {
  try {
    if (expression) return compileRunnable(expression, scope)
  } catch {
    // an expression that this version cannot read makes the rule unavailable (design 4.7), not the flow
  }
  const { memory } = scope.plan
  const condition = (): boolean => {
    failRule(memory, undefined)
    return false
  }
  return { ...unrunnableProgram, condition }
}

const unrunnableProgram: Omit<Program, 'condition'> = {
  isRunnable: false,
  slots: [],
  blockedAnswers: [],
  missingCheck: undefined,
  stepsMax: 1,
  countsSteps: false,
}

function compileRunnable(expression: Expression, { plan, answers, countFrom }: RuleScope): Program {
  const { memory, slots, semantics } = plan
  const guarded = usesHas(expression)
  const scope: CompileContext = {
    ...plan,
    hasGuards: guarded,
    rule: expression,
    countsSteps: false,
    variables: new Map(),
  }
  const compiled = compileExpression(expression, scope)
  const counted = compiled.stepsMax > countFrom
  const { run } = counted
    ? compileExpression(expression, { ...scope, countsSteps: counted })
    : compiled
  const reads = listReads(expression)
  const { blockedBy } = answers
  return {
    isRunnable: true,
    condition: counted ? limitSteps(run, memory, semantics.charges.ruleStepsMax) : run,
    slots: reads.map(({ name, convert }) => slots.slotOf(name, convert)),
    blockedAnswers: reads.map(({ name }) => blockedBy(name)),
    missingCheck: guarded ? compileMissingCheck(expression, { ...plan, blockedBy }) : undefined,
    stepsMax: compiled.stepsMax,
    countsSteps: counted,
  }
}

/** Runs the rule over the loaded memory; `complete` when no slot of the plan is empty. */
export function runRule(rule: CompiledRule, memory: Memory, complete: boolean): RuleAnswer {
  const blocked = complete ? undefined : findBlockedAnswer(rule, memory)
  if (blocked) return blocked
  try {
    const value = rule.condition()
    if (!memory.hasFailed) return value === true ? rule.triggered : rule.notTriggered
  } catch {
    // evidence of a type that its name does not have: the rule could not run, the others can
    memory.blockedBy = undefined
  }
  const { blockedBy } = memory
  memory.hasFailed = false
  return blockedBy === undefined ? rule.answers.unavailable : rule.answers.blockedBy(blockedBy)
}

function findBlockedAnswer(
  { slots, blockedAnswers, missingCheck }: CompiledRule,
  { cells }: Memory,
): RuleAnswer | undefined {
  if (missingCheck) return missingCheck()
  for (let at = 0; at < slots.length; at++) {
    if (cells[slots[at] as number] === undefined) return blockedAnswers[at]
  }
  return undefined
}

/** The condition with at most `ruleSteps` to spend, which are subtracted from those of the run. */
function limitSteps(condition: Evaluator, memory: Memory, ruleSteps: number): Evaluator {
  return () => {
    const granted = Math.min(ruleSteps, memory.runStepsLeft)
    memory.stepsLeft = granted
    try {
      return condition()
    } finally {
      memory.runStepsLeft -= granted - Math.max(0, memory.stepsLeft)
    }
  }
}

/** Measured bytes of a rule, of a node with its closure, and of a unit of pattern size at most. */
const ownBytes = 3500
const nodeBytes = 250
const patternUnitBytes = 130

/** Estimates the bytes of memory that a compiled rule takes: expression, closures and patterns. */
export function estimateRuleBytes({ expression }: Pick<PlannedRule, 'expression'>): number {
  return ownBytes + (expression ? estimateExpressionBytes(expression) : 0)
}

function estimateExpressionBytes(expression: Expression): number {
  let bytes = patternUnitBytes * sumPatternSizes(expression)
  visitNodes(expression, (node) => {
    const chars = node.kind === 'literal' && typeof node.value === 'string' ? node.value.length : 0
    bytes += nodeBytes + 2 * chars
  })
  return bytes
}
