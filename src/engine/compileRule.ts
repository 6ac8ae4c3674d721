/** One rule of a plan, ready to run. */

import type { Scope, Thunk } from './compiled.ts'
import { compileExpression } from './compileExpression.ts'
import { limits } from './limits.ts'
import type { Memory } from './memory.ts'
import type { PlannedRule } from './plan.ts'
import { readsOf } from './readsOf.ts'
import { type RuleAnswer, type RuleAnswers, ruleAnswers } from './ruleAnswers.ts'
import type { Slots } from './slots.ts'

export interface CompiledRule {
  readonly planned: PlannedRule
  readonly answers: RuleAnswers
  /** Undefined for a rule that cannot run. */
  readonly program: Program | undefined
}

interface Program {
  readonly condition: Thunk
  /** The slots of the rule's reads, in order of appearance. */
  readonly slots: readonly number[]
  /** For each slot, the answer when it is empty. */
  readonly blocked: readonly RuleAnswer[]
  /** The most steps the condition takes. */
  readonly steps: number
  readonly counted: boolean
}

/** Where the rules of a plan are compiled. */
export interface Workshop {
  readonly memory: Memory
  readonly slots: Slots
  readonly shared: Scope['shared']
}

/**
 * Compiles a rule; its steps are counted while it runs when they could exceed `countFrom`. A rule without expression, or with one
 * that is not of this version of the language, stays without a program.
 */
export function compileRule(
  planned: PlannedRule,
  workshop: Workshop,
  countFrom: number = limits.ruleSteps,
): CompiledRule {
  const answers = ruleAnswers(planned)
  try {
    return { planned, answers, program: programOf(planned, { workshop, answers, countFrom }) }
  } catch {
    // an expression that this version cannot read makes the rule unavailable (design 4.7), not the flow
    return { planned, answers, program: undefined }
  }
}

interface Making {
  readonly workshop: Workshop
  readonly answers: RuleAnswers
  readonly countFrom: number
}

function programOf(planned: PlannedRule, making: Making): Program | undefined {
  const { expression } = planned
  if (!expression) return undefined
  const { workshop, answers, countFrom } = making
  const { memory, slots, shared } = workshop
  const scope: Scope = { memory, slots, shared, counted: false, variables: new Map() }
  const compiled = compileExpression(expression, scope)
  const counted = compiled.steps > countFrom
  const condition = counted
    ? compileExpression(expression, { ...scope, counted }).run
    : compiled.run
  const reads = readsOf(expression)
  return {
    condition,
    slots: reads.map(({ name, convert }) => slots.slotOf(name, convert)),
    blocked: reads.map(({ name }) => answers.blockedBy(name)),
    steps: compiled.steps,
    counted,
  }
}

/** Runs the rule over the memory as it is loaded; `complete` when no slot of the plan is empty. */
export function runRule(rule: CompiledRule, memory: Memory, complete: boolean): RuleAnswer {
  const { program, answers } = rule
  if (!program) return answers.unavailable
  if (!complete) {
    const { slots } = program
    const { cells } = memory
    for (let at = 0; at < slots.length; at++) {
      if (cells[slots[at] as number] === undefined) return program.blocked[at] as RuleAnswer
    }
  }
  try {
    const held = program.condition()
    if (memory.failed) return failedAnswer(rule, memory)
    return held === true ? answers.triggered : answers.notTriggered
  } catch {
    // evidence of a type that its name does not have: the rule could not run, the others can
    memory.failed = false
    return answers.unavailable
  }
}

function failedAnswer({ answers }: CompiledRule, memory: Memory): RuleAnswer {
  memory.failed = false
  return memory.blockedBy === undefined ? answers.unavailable : answers.blockedBy(memory.blockedBy)
}
