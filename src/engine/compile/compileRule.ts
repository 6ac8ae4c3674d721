/** Compiles one rule of a plan, and runs it. */

import { asksFor, readsOf } from '../language/expression.ts'
import type { Semantics } from '../language/semantics.ts'
import type { Value } from '../language/values/value.ts'
import type { PlannedRule } from '../run/plan.ts'
import type { RuleResult } from '../run/result.ts'
import { type RuleAnswers, ruleAnswers } from '../run/ruleAnswers.ts'
import type { Scope, Thunk } from './compiled.ts'
import { compileExpression } from './compileExpression.ts'
import { compileWaiting, type Waiting } from './compileWaiting.ts'
import { fail, type Memory } from './memory.ts'
import type { Slots } from './slots.ts'

/** The fields that a run reads for every rule of every evaluation, side by side in one object. */
export interface CompiledRule extends Program {
  readonly planned: PlannedRule
  readonly answers: RuleAnswers
  readonly triggered: RuleResult
  readonly notTriggered: RuleResult
  readonly weight: number
}

interface Program {
  /** False for a rule without an expression that this version can run: its condition fails. */
  readonly runs: boolean
  readonly condition: Thunk
  /** The slots of the rule's reads, in order of appearance. */
  readonly slots: readonly number[]
  /** For each slot, the result when it is empty. */
  readonly blocked: readonly RuleResult[]
  /** What the rule waits for, where that depends on its guards; `slots` are then of no account. */
  readonly waiting: Waiting | undefined
  /** The most steps the condition takes. */
  readonly steps: number
  /** Whether steps are counted while the condition runs. */
  readonly counted: boolean
}

/** Where the rules of a plan are compiled. */
export interface Workshop {
  readonly memory: Memory
  readonly slots: Slots
  readonly shared: Scope['shared']
  readonly lookups: Scope['lookups']
  readonly semantics: Semantics
}

/**
 * Compiles a rule; its steps are counted while it runs when they could exceed `countFrom`. A rule without expression, or with one
 * that is not of this version of the language, is unavailable.
 */
export function compileRule(
  planned: PlannedRule,
  workshop: Workshop,
  countFrom: number = workshop.semantics.charges.ruleSteps,
): CompiledRule {
  const answers = ruleAnswers(planned)
  const program = programOf(planned, { workshop, answers, countFrom })
  // field by field: an object made by spreading is read much more slowly
  return {
    condition: program.condition,
    triggered: answers.triggered.result,
    notTriggered: answers.notTriggered.result,
    weight: planned.weight,
    slots: program.slots,
    blocked: program.blocked,
    waiting: program.waiting,
    counted: program.counted,
    steps: program.steps,
    runs: program.runs,
    planned,
    answers,
  }
}

interface Making {
  readonly workshop: Workshop
  readonly answers: RuleAnswers
  readonly countFrom: number
}

function programOf(planned: PlannedRule, making: Making): Program {
  try {
    return runningProgram(planned, making)
  } catch {
    // an expression that this version cannot read makes the rule unavailable (design 4.7), not the flow
    const { memory } = making.workshop
    const condition = (): boolean => {
      fail(memory, undefined)
      return false
    }
    return { ...empty, condition }
  }
}

const empty: Omit<Program, 'condition'> = {
  runs: false,
  slots: [],
  blocked: [],
  waiting: undefined,
  steps: 1,
  counted: false,
}

function runningProgram({ expression }: PlannedRule, making: Making): Program {
  if (!expression) throw new Error('a rule without expression')
  const { workshop, answers, countFrom } = making
  const { memory, slots, semantics } = workshop
  const guarded = asksFor(expression)
  const scope: Scope = {
    ...workshop,
    guarded,
    rule: expression,
    counted: false,
    variables: new Map(),
  }
  const compiled = compileExpression(expression, scope)
  const counted = compiled.steps > countFrom
  const { run } = counted ? compileExpression(expression, { ...scope, counted }) : compiled
  const reads = readsOf(expression)
  const blockedBy = (name: string): RuleResult => answers.blockedBy(name).result
  return {
    runs: true,
    condition: counted ? metered(run, memory, semantics.charges.ruleSteps) : run,
    slots: reads.map(({ name, convert }) => slots.slotOf(name, convert)),
    blocked: reads.map(({ name }) => blockedBy(name)),
    waiting: guarded ? compileWaiting(expression, { ...workshop, blockedBy }) : undefined,
    steps: compiled.steps,
    counted,
  }
}

/** Runs the rule over the memory as it is loaded; `complete` when no slot of the plan is empty. */
export function runRule(rule: CompiledRule, memory: Memory, complete: boolean): RuleResult {
  if (!complete) {
    const waits = rule.waiting ? rule.waiting() : waitingResult(rule, memory)
    if (waits) return waits
  }
  try {
    const held = rule.condition()
    if (memory.failed) return failedResult(rule, memory)
    return held === true ? rule.triggered : rule.notTriggered
  } catch {
    // evidence of a type that its name does not have: the rule could not run, the others can
    memory.failed = false
    return rule.answers.unavailable.result
  }
}

function waitingResult(
  { slots, blocked }: CompiledRule,
  { cells }: Memory,
): RuleResult | undefined {
  for (let at = 0; at < slots.length; at++) {
    if (cells[slots[at] as number] === undefined) return blocked[at]
  }
  return undefined
}

function failedResult({ answers }: CompiledRule, memory: Memory): RuleResult {
  const { blockedBy } = memory
  memory.failed = false
  return blockedBy === undefined ? answers.unavailable.result : answers.blockedBy(blockedBy).result
}

/**
 * The condition with at most `ruleSteps` to spend. A recipe in which something failed is run a second time, rule by rule: what was
 * computed the first time is not computed again, and costs nothing.
 */
function metered(condition: Thunk, memory: Memory, ruleSteps: number): Thunk {
  let known: { readonly run: number; readonly came: Outcome } | undefined
  return () => {
    if (known?.run !== memory.run) {
      // the second time is certain, and this rule then comes in its turn
      if (memory.failed) return false
      known = { run: memory.run, came: outcomeOf(condition, memory, ruleSteps) }
    }
    const { came } = known
    if ('thrown' in came) throw came.thrown
    if (came.failed) {
      memory.failed = true
      memory.blockedBy = came.blockedBy
    }
    return came.value
  }
}

type Outcome =
  | { readonly thrown: unknown }
  | {
      readonly value: Value
      readonly failed: boolean
      readonly blockedBy: string | undefined
    }

function outcomeOf(condition: Thunk, memory: Memory, ruleSteps: number): Outcome {
  const granted = Math.min(ruleSteps, memory.runSteps)
  memory.steps = granted
  try {
    const value = condition()
    return { value, failed: memory.failed, blockedBy: memory.blockedBy }
  } catch (thrown) {
    return { thrown }
  } finally {
    memory.runSteps -= granted - Math.max(0, memory.steps)
  }
}
