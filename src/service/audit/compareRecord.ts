/** One evaluation computed again and held against its record. */

import { hash } from 'node:crypto'
import type { ReadyPlan } from '../../commands/evaluation/compiledPlans.ts'
import type { EvaluationRecord } from '../../commands/evaluation/evaluationRecord.ts'
import type { PlanRun } from '../../engine/compile/runPlan.ts'
import type { RecordedRecipe } from '../../engine/run/record.ts'
import { openPersonal } from '../../events/catalogue.ts'
import type { FlowEvaluated } from '../../events/evaluation/evaluation.ts'
import type { KeyState } from '../../events/recording/sealing.ts'
import { evidenceOf, isAltered } from '../evaluation/openRecord.ts'
import { differencesFrom } from '../evaluation/replayEvaluation.ts'

/** The places in which record and computation differ: none when they are the same to the byte. `forgotten`: its evidence is erased. */
export type Compared = readonly string[] | 'forgotten'

/** Throws what opening the record throws: where a key is lost, a box altered, or record and plan do not belong together. */
export function compareRecord(
  record: EvaluationRecord,
  ready: ReadyPlan,
  keys: ReadonlyMap<string, KeyState>,
): Compared {
  const { data } = openPersonal(record.decoded, keys).event
  if (isAltered(data, ready)) return ['plan']
  const evidence = evidenceOf(data, ready.names)
  if (!evidence) return 'forgotten'
  const run = ready.compiled.run(evidence)
  if (isSame(data, ready, run)) return []
  return differencesFrom({ ...record, data, plan: ready.plan, ready }, run).map(({ path }) => path)
}

/** The same in all that `differencesFrom` compares, found out without putting the recorded answer together. */
function isSame(data: FlowEvaluated, ready: ReadyPlan, run: PlanRun): boolean {
  const { compiled, digest, plan } = ready
  return (
    data.plan === digest &&
    data.semantics === plan.semantics &&
    data.verdict === run.verdict &&
    areSame(data.recipes, compiled.record(run)) &&
    data.result_hash === hash('sha256', compiled.render(data.evaluation_id, run), 'hex')
  )
}

function areSame(some: readonly RecordedRecipe[], others: readonly RecordedRecipe[]): boolean {
  return some.length === others.length && some.every((one, at) => isSameRecipe(one, others[at]))
}

function isSameRecipe(one: RecordedRecipe, other: RecordedRecipe | undefined): boolean {
  return (
    one.recipe_id === other?.recipe_id &&
    one.score === other.score &&
    one.verdict === other.verdict &&
    one.determined_by === other.determined_by &&
    one.outcomes === other.outcomes &&
    one.blocked_by.length === other.blocked_by.length &&
    one.blocked_by.every((name, at) => name === other.blocked_by[at])
  )
}
