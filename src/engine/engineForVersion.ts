/** Selects the engine for a version of the rule semantics, or throws `unknown_semantics`. */

import { Failure } from '../domain/failure.ts'
import { type CompiledPlan, compilePlan, compilePlanInSlices } from './compile/compilePlan.ts'
import { explain } from './explain/explain.ts'
import { type Semantics, semanticsVersions } from './language/semantics.ts'
import type { Plan, PlannedRuleInfo } from './run/plan.ts'
import { expandResult, type RecordedRecipe } from './run/record.ts'
import { type Answer, answerOf, type FlowResult } from './run/result.ts'

export interface Engine {
  /** Compiles a plan. Never throws on a rule it cannot read: that rule is unavailable. */
  readonly compile: (plan: Plan) => CompiledPlan
  /** Same as long work. */
  readonly compileInSlices: (plan: Plan) => Promise<CompiledPlan>
  /** Runs a plan that this engine compiled and explains every recipe, live and shadow, in the plan's order: long work. */
  readonly explain: typeof explain
  /** The result that was recorded, from its record and the plan that ran. Throws when the two do not belong together. */
  readonly expand: (plan: Plan<PlannedRuleInfo>, recorded: readonly RecordedRecipe[]) => FlowResult
  /** The answer (spec 2.4) that was given with this result. */
  readonly answer: (id: string, result: FlowResult) => Answer
}

const engines: ReadonlyMap<number, Engine> = new Map(
  semanticsVersions.map((semantics) => [semantics.version, engineWith(semantics)]),
)

/** The engine for plans and records of this version. Throws `unknown_semantics` for one that this release does not know. */
export function engineForVersion(version: number): Engine {
  const engine = engines.get(version)
  if (engine) return engine
  const known = [...engines.keys()].join(', ').replace(/, (?=\d+$)/, ' and ')
  const message = `This is of version ${version} of the meaning of rules; this release of Vigil knows ${known}.`
  throw new Failure('unknown_semantics', message)
}

function engineWith(semantics: Semantics): Engine {
  return {
    compile: (plan) => compilePlan(plan, semantics),
    compileInSlices: (plan) => compilePlanInSlices(plan, semantics),
    explain,
    expand: expandResult,
    answer: answerOf,
  }
}
