/** Questions about one recorded evaluation: what it was, why, and whether computing it again gives the same. */

import { hash } from 'node:crypto'
import {
  type EvaluationRecord,
  readEvaluation,
} from '../../commands/evaluation/evaluationRecord.ts'
import type { Call } from '../../domain/call.ts'
import { type Difference, differencesOf } from '../../domain/differences.ts'
import { Failure, notFound } from '../../domain/failure.ts'
import { isoTime } from '../../domain/isoTime.ts'
import { engineOf } from '../../engine/engineOf.ts'
import type { Evidence, EvidenceItem } from '../../engine/run/evidence.ts'
import type { NotCounted } from '../../engine/run/notCounted.ts'
import { decode, openEvent } from '../../events/catalogue.ts'
import type { FlowEvaluated } from '../../events/evaluation/evaluation.ts'
import { planDigest } from '../../events/evaluation/planRecord.ts'
import type { Forgotten, Personal, Sealed } from '../../events/recording/sealing.ts'
import { managedRulebook, rulebookStream, type ServiceContext } from '../opening/serviceContext.ts'
import type { EvaluationPart, ExplanationDetail } from './evaluationPart.ts'
import type { EvaluationView } from './evaluationView.ts'
import { evidenceView } from './evidenceView.ts'
import { namedRecipes } from './namedRecipes.ts'
import { type Names, namesIn } from './namesIn.ts'
import { answerOfRecord } from './recordedAnswer.ts'

/** Stands in place of what was erased together with the person it was about. */
const forgotten: Forgotten = { forgotten: true }

/** A record of the caller's own account, its personal data opened as far as the keys still live. */
interface OpenRecord extends EvaluationRecord {
  readonly data: FlowEvaluated
  /** Undefined once the person it is about has been forgotten. */
  readonly evidence: Evidence | undefined
  /** Undefined as well where it is not known: in older records. */
  readonly notCounted: readonly NotCounted[] | undefined
}

/**
 * The evaluation with its evidence, shadow recipes and explanation. Throws `not_found`, also for another account's,
 * `unknown_semantics`.
 */
export function openFindEvaluation(context: ServiceContext): EvaluationPart['findEvaluation'] {
  return async (call, id, detail) => {
    const record = await ownRecord(context, call, id)
    // names of versions that another instance has published, too
    const { state } = await context.rulebooks.catchUp(rulebookStream(record.account))
    return viewOf(record, detail, namesIn({ own: state, managed: managedRulebook(context) }))
  }
}

/** Computes the evaluation again from its record. Throws `not_found`, `evidence_forgotten`, `unknown_semantics`. */
export function openReplayEvaluation(context: ServiceContext): EvaluationPart['replayEvaluation'] {
  return async (call, id) => {
    const differences = replay(await ownRecord(context, call, id))
    return { result: differences.length === 0 ? 'MATCH' : 'MISMATCH', differences }
  }
}

async function ownRecord(context: ServiceContext, call: Call, id: string): Promise<OpenRecord> {
  const record = await readEvaluation({ store: context.events, decode }, id)
  if (record?.account !== call.principal.accountId) throw notFound()
  const { data } = (await openEvent(record.decoded, context.keyring)).event
  return { ...record, data, evidence: evidenceOf(data), notCounted: notCountedOf(data) }
}

function viewOf(record: OpenRecord, detail: ExplanationDetail, names: Names): EvaluationView {
  const { data, plan, decoded, evidence } = record
  const { recipes, shadow } = engineOf(plan.semantics).expand(plan, data.recipes)
  const flowName = names.flow(data.flow_id, data.flow_version_id)
  return {
    id: data.evaluation_id,
    flow_id: data.flow_id,
    ...(flowName !== undefined && { flow_name: flowName }),
    flow_version_id: data.flow_version_id,
    evaluated_at: isoTime(data.time),
    verdict: data.verdict,
    recipes: namedRecipes(recipes, plan, names),
    shadow_recipes: namedRecipes(shadow, plan, names),
    dispatch: data.dispatch,
    evidence: evidence ? evidenceView(evidence) : forgotten,
    ...notCountedView(record),
    explanation: evidence
      ? namedRecipes(explained(record, evidence, detail), plan, names)
      : forgotten,
    plan: { digest: data.plan, recipes: pinsOf(record) },
    semantics_version: data.semantics,
    result_hash: data.result_hash,
    position: String(decoded.position),
  }
}

function explained(
  { plan, notCounted }: OpenRecord,
  evidence: Evidence,
  detail: ExplanationDetail,
) {
  const engine = engineOf(plan.semantics)
  return engine.explain(engine.compile(plan), evidence, {
    managed: 'hidden',
    parts: detail === 'expressions',
    ...(notCounted && { notCounted }),
  })
}

function notCountedView({
  evidence,
  notCounted,
}: OpenRecord): Pick<EvaluationView, 'not_counted'> | undefined {
  return evidence ? notCounted && { not_counted: notCounted } : { not_counted: forgotten }
}

function pinsOf({ plan }: OpenRecord): EvaluationView['plan']['recipes'] {
  return plan.recipes.map(({ recipe_id, version_id, status }) => ({
    recipe_id,
    version_id,
    status,
  }))
}

/** Every place in which the record and a fresh computation differ, the record's own consistency included. */
function replay(record: OpenRecord): readonly Difference[] {
  const { data, plan, evidence, account } = record
  if (!evidence) {
    throw new Failure('evidence_forgotten', 'The evidence has been erased with its subject.')
  }
  const engine = engineOf(plan.semantics)
  const compiled = engine.compile(plan)
  const run = compiled.run(evidence)
  const { recipes, shadow } = engine.expand(plan, data.recipes)
  const body = compiled.render(data.evaluation_id, run)
  const recorded = {
    plan: data.plan,
    semantics_version: data.semantics,
    answer: { id: data.evaluation_id, verdict: data.verdict, recipes },
    shadow_recipes: shadow,
    answered_hash: hash('sha256', answerOfRecord(record), 'hex'),
    result_hash: data.result_hash,
  }
  const recomputed = {
    plan: planDigest(account, plan),
    semantics_version: plan.semantics,
    answer: JSON.parse(body) as unknown,
    shadow_recipes: run.shadow,
    answered_hash: data.result_hash,
    result_hash: hash('sha256', body, 'hex'),
  }
  return differencesOf(recorded, recomputed)
}

/** The evidence as the rules saw it; undefined when any of it is forgotten. */
function evidenceOf(data: FlowEvaluated): Evidence | undefined {
  const { phone_number, email_address, evidence } = data
  if (isGone(phone_number) || isGone(email_address) || isGone(evidence)) return undefined
  const gathered = new Map<string, EvidenceItem>()
  if (phone_number !== undefined) {
    gathered.set('target.phone_number', { value: phone_number as string, source: 'request' })
  }
  if (email_address !== undefined) {
    gathered.set('target.email_address', { value: email_address as string, source: 'request' })
  }
  const { items } = evidence as Exclude<typeof evidence, Sealed | Forgotten>
  for (const [name, value, source] of items) gathered.set(name, { value, source })
  gathered.set('request.time', { value: data.time, source: 'service' })
  return gathered
}

/** What was sent and did not count; undefined when that is forgotten or not known. */
function notCountedOf({ evidence }: FlowEvaluated): readonly NotCounted[] | undefined {
  if (isGone(evidence)) return undefined
  const { not_counted } = evidence as Exclude<typeof evidence, Sealed | Forgotten>
  return not_counted?.map(([name, value, source, reason]) => ({ name, value, source, reason }))
}

function isGone(value: Personal<unknown> | undefined): boolean {
  return typeof value === 'object' && value !== null && 'forgotten' in value
}
