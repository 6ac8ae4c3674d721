/** Compiles one rule of a plan, runs it, and estimates the memory that it takes. */

import {
  type Expression,
  listReads,
  type ReadNode,
  usesHas,
  visitNodes,
} from '../language/expression.ts'
import { charges } from '../language/operationCosts.ts'
import { sumPatternSizes } from '../language/rulePatternSizes.ts'
import type { MissingName } from '../run/missingNames.ts'
import type { PlannedRule } from '../run/plan.ts'
import { buildRuleAnswers, type RuleAnswer, type RuleAnswers } from '../run/ruleAnswers.ts'
import type { CompileContext, Evaluator } from './compiledExpression.ts'
import { compileExpression } from './compileExpression.ts'
import {
  type CheckedRead,
  compileMissingCheck,
  describeMissing,
  type MissingCheck,
  prepareRead,
} from './compileMissingCheck.ts'
import { failRule, findMissingName, type Memory } from './planMemory.ts'

/** A compiled rule; the fields that a run reads are in one object. */
export interface CompiledRule {
  readonly planned: PlannedRule
  readonly answers: RuleAnswers
  readonly triggered: RuleAnswer
  readonly notTriggered: RuleAnswer
  readonly weight: number
  /** False for a rule without an expression that this version can run: its condition fails. */
  readonly isRunnable: boolean
  readonly condition: Evaluator
  /** The rule's reads, in order of appearance. */
  readonly reads: readonly CheckedRead[]
  /** For a rule with guards, in place of `reads`. */
  readonly findMissing: MissingCheck | undefined
  /** The most steps the condition takes. */
  readonly stepsMax: number
  /** Whether steps are counted while the condition runs. */
  readonly countsSteps: boolean
}

/** What all rules of a plan share while they are compiled. */
export type PlanScope = Pick<CompileContext, 'memory' | 'slots' | 'memoizedOperations' | 'asks'>

/**
 * Compiles a rule; its steps are counted while it runs when they could exceed `countFrom`. A rule without expression,
 * or with one of another version of the language, is unavailable.
 */
export function compilePlannedRule(
  planned: PlannedRule,
  plan: PlanScope,
  countFrom: number = charges.ruleStepsMax,
): CompiledRule {
  const answers = buildRuleAnswers(planned)
  const { reads, ...program } = compileProgram(planned.expression, plan, countFrom)
  // field by field: an object made by spreading is read much more slowly
  return {
    condition: program.condition,
    triggered: answers.triggered,
    notTriggered: answers.notTriggered,
    weight: planned.weight,
    reads: reads.map((read) => prepareRead(read, plan)),
    findMissing: program.findMissing,
    countsSteps: program.countsSteps,
    stepsMax: program.stepsMax,
    isRunnable: program.isRunnable,
    planned,
    answers,
  }
}

type Program = Pick<
  CompiledRule,
  'isRunnable' | 'condition' | 'findMissing' | 'stepsMax' | 'countsSteps'
> & { readonly reads: readonly ReadNode[] }

function compileProgram(
  expression: Expression | undefined,
  plan: PlanScope,
  countFrom: number,
): Program {
  try {
    if (expression) return compileRunnable(expression, plan, countFrom)
  } catch {
    // an expression that this version cannot read makes the rule unavailable (design 4.7), not the flow
  }
  const condition = (): boolean => {
    failRule(plan.memory, undefined)
    return false
  }
  const findMissing = undefined
  return { isRunnable: false, condition, findMissing, reads: [], stepsMax: 1, countsSteps: false }
}

function compileRunnable(expression: Expression, plan: PlanScope, countFrom: number): Program {
  const { memory } = plan
  const hasGuards = usesHas(expression)
  const scope = { ...plan, hasGuards, rule: expression, variables: new Map() }
  const { run, stepsMax } = compileExpression(expression, { ...scope, countsSteps: false })
  const countsSteps = stepsMax > countFrom
  const condition = countsSteps
    ? limitRuleSteps(compileExpression(expression, { ...scope, countsSteps }).run, memory)
    : run
  const findMissing = hasGuards ? compileMissingCheck(expression, plan) : undefined
  const reads = listReads(expression)
  return { isRunnable: true, condition, findMissing, reads, stepsMax, countsSteps }
}

/**
 * Runs the rule over the loaded memory; `complete` when no slot of the plan is empty. Of a rule that was not
 * evaluated, `memory.missing` has what it waits for.
 */
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
  const { blockedBy: name } = memory
  memory.hasFailed = false
  if (name === undefined) return rule.answers.unavailable
  memory.missing = [findMissingName(memory, name, 'function_failed')]
  return rule.answers.blockedBy(name)
}

function findBlockedAnswer(rule: CompiledRule, memory: Memory): RuleAnswer | undefined {
  const missing = rule.findMissing ? listMissing(rule.findMissing) : findMissingReads(rule, memory)
  const first = missing?.[0]
  if (!missing || !first) return undefined
  memory.missing = missing
  return rule.answers.blockedBy(first.name)
}

function listMissing(findMissing: MissingCheck): readonly MissingName[] {
  const missing: MissingName[] = []
  findMissing(missing)
  return missing
}

/** Undefined when none is missing: this runs for every rule. */
function findMissingReads({ reads }: CompiledRule, memory: Memory): MissingName[] | undefined {
  const { cells } = memory
  let missing: MissingName[] | undefined
  for (let at = 0; at < reads.length; at++) {
    const read = reads[at] as CheckedRead
    if (cells[read.slot] !== undefined) continue
    missing ??= []
    missing.push(describeMissing(read, memory))
  }
  return missing
}

/** The condition with at most the steps of a rule to spend, which are subtracted from those of the run. */
function limitRuleSteps(condition: Evaluator, memory: Memory): Evaluator {
  const { ruleStepsMax } = charges
  return () => {
    const granted = Math.min(ruleStepsMax, memory.runStepsLeft)
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
  if (!expression) return ownBytes
  let bytes = ownBytes + patternUnitBytes * sumPatternSizes(expression)
  visitNodes(expression, (node) => {
    const chars = node.kind === 'literal' && typeof node.value === 'string' ? node.value.length : 0
    bytes += nodeBytes + 2 * chars
  })
  return bytes
}
