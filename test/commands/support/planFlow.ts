import { mapRules } from '../../../src/commands/evaluation/readEvaluationRecord.ts'
import { outlineFlow, readOutlinedRule } from '../../../src/commands/rulebook/outlineFlow.ts'
import type { Rulebooks } from '../../../src/commands/rulebook/rulebookStreams.ts'
import type { Plan } from '../../../src/engine/run/plan.ts'

/** The plan of the flow with its expressions; undefined when there is no such flow. */
export function planFlow(rulebooks: Rulebooks, flow: string, semantics: number): Plan | undefined {
  const outline = outlineFlow(rulebooks, flow, semantics)
  return outline && mapRules(outline, readOutlinedRule)
}
