/** Selects the engine for a version of the rule semantics, or throws `unknown_semantics`. */

import { Failure } from '../domain/failure.ts'
import { compilePlan, compilePlanInSlices } from './compile/compilePlan.ts'
import { explain } from './explain/explain.ts'
import { type Semantics, semanticsVersions } from './language/semantics.ts'
import type { Plan } from './run/plan.ts'
import { decodeResult } from './run/recordResult.ts'
import { buildEvaluateResponse } from './run/result.ts'

export type Engine = ReturnType<typeof engineWith>

const engines: ReadonlyMap<number, Engine> = new Map(
  semanticsVersions.map((semantics) => [semantics.version, engineWith(semantics)]),
)

/** The engine for plans and records of this version. Throws `unknown_semantics` for one that this release does not know. */
export function requireEngine(version: number): Engine {
  const engine = engines.get(version)
  if (engine) return engine
  const known = [...engines.keys()].join(', ').replace(/, (?=\d+$)/, ' and ')
  const message = `This is of version ${version} of the meaning of rules; this release of Vigil knows ${known}.`
  throw new Failure('unknown_semantics', message)
}

function engineWith(semantics: Semantics) {
  return {
    compile: (plan: Plan) => compilePlan(plan, semantics),
    compileInSlices: (plan: Plan) => compilePlanInSlices(plan, semantics),
    explain,
    expand: decodeResult,
    answer: buildEvaluateResponse,
  }
}
