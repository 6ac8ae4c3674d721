import type { Plan } from '../../../src/engine/run/plan.ts'
import { mapRules } from '../../../src/state/evaluation/readEvaluationRecord.ts'
import { outlineFlow, readOutlinedRule } from '../../../src/state/rulebook/outlineFlow.ts'
import type { Rulebooks } from '../../../src/state/rulebook/rulebookStreams.ts'

/** The plan of the flow with its expressions; undefined when there is no such flow. */
export function planFlow(rulebooks: Rulebooks, flow: string, semantics: number): Plan | undefined {
  const outline = outlineFlow(rulebooks, flow, semantics)
  return outline && mapRules(outline, readOutlinedRule)
}
