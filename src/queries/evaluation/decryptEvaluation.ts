/** Decrypts a recorded evaluation and compiles its plan; erased parts are undefined. */

import type { Call } from '../../domain/call.ts'
import { Failure, notFound } from '../../domain/failure.ts'
import { runInSlices } from '../../domain/load/scheduler.ts'
import type { Evidence, EvidenceItem, NotCounted, Unanswered } from '../../engine/run/evidence.ts'
import { openEvent } from '../../events/catalogue.ts'
import { type FlowEvaluated, readClock } from '../../events/evaluation/evaluationEvents.ts'
import { decodeEvidence, type RecordedEvidence } from '../../events/evaluation/evidenceRecord.ts'
import {
  type ForgottenValue,
  isForgotten,
  type SealedValue,
} from '../../events/recording/sealing.ts'
import type { CompiledPlanCache, RunnablePlan } from '../../state/evaluation/flowPlanCache.ts'
import { pinPlan } from '../../state/evaluation/pinPlan.ts'
import {
  type EvaluationRecord,
  findEvaluationRecord,
  type PlanLog,
  readRecordedPlan,
} from '../../state/evaluation/readEvaluationRecord.ts'
import type { QueryContext } from '../reading/queryContext.ts'

/** A record with the plan that ran, as the log has it. */
export interface PlannedRecord extends EvaluationRecord {
  readonly data: FlowEvaluated
  readonly runnablePlan: RunnablePlan
}

export interface DecryptedRecord extends PlannedRecord {
  /** Undefined once the person it is about has been forgotten, and where the plan is altered. */
  readonly personalData: PersonalData | undefined
}

interface PersonalData {
  readonly evidence: Evidence
  /** The calls that were asked and have no answer. */
  readonly unanswered: Unanswered
  /** What was sent and did not count. */
  readonly notCounted: readonly NotCounted[]
  readonly correlationId: string | undefined
}

/** What reading the plan of a record takes. */
interface PlanContext extends PlanLog {
  readonly compiledPlans: CompiledPlanCache
}

/** What opening a record takes. */
export type RecordContext = PlanContext & Pick<QueryContext, 'keyring'>

/** Throws `not_found`, also for another account's, `unknown_semantics`. */
export async function decryptEvaluation(
  context: RecordContext,
  call: Call,
  id: string,
): Promise<DecryptedRecord> {
  const record = await findEvaluationRecord(context.events, id)
  if (record?.account !== call.principal.accountId) throw notFound()
  const { data } = (await openEvent(record.decoded, context.keyring)).event
  const plan = { account: record.account, digest: data.plan }
  const planned = { ...record, data, runnablePlan: await compileRecordedPlan(context, plan) }
  return {
    ...planned,
    personalData: isPlanAltered(planned) ? undefined : readPersonalData(planned),
  }
}

/** What an opened record says of the person; undefined once it has been forgotten. */
export function readPersonalData({
  data,
  decoded,
}: Pick<PlannedRecord, 'data' | 'decoded'>): PersonalData | undefined {
  const evidence = readRecordedEvidence(data, readClock(decoded))
  const { not_counted = [], correlation_id: correlationId } = readOpenedEvidence(data) ?? {}
  const notCounted = not_counted.map(([name, value, source, reason]) => ({
    name,
    value,
    source,
    reason,
  }))
  const unanswered = new Map(data.arrived.unanswered)
  return evidence && { evidence, unanswered, notCounted, correlationId }
}

/** Whether the plan in the log is not the one that was recorded. */
export function isPlanAltered({ data, runnablePlan }: PlannedRecord): boolean {
  return runnablePlan.digest !== data.plan
}

/** Throws `unavailable` where the plan in the log is not the one that was recorded. */
export function assertUnaltered(record: DecryptedRecord): void {
  if (isPlanAltered(record)) {
    throw new Failure('unavailable', 'The plan in the log is not the one that was recorded.')
  }
}

/** Throws `evidence_forgotten`. */
export function requireEvidence({ personalData }: DecryptedRecord): Evidence {
  if (personalData) return personalData.evidence
  throw new Failure('evidence_forgotten', 'The evidence has been erased with its subject.')
}

/** The plan that ran, ready to run again. Throws `unknown_semantics`. */
export function compileRecordedPlan(
  context: PlanContext,
  { account, digest }: { readonly account: string; readonly digest: string },
): Promise<RunnablePlan> {
  return context.compiledPlans.getRecorded({
    account,
    digest,
    read: async () => {
      const plan = await readRecordedPlan(context, digest)
      return { plan, digest: (await runInSlices(context, pinPlan(account, plan))).digest }
    },
  })
}

/** The evidence as the rules saw it at this time, or what the account may see; undefined once any is forgotten. */
export function readRecordedEvidence(
  data: FlowEvaluated,
  timeMs: number,
  of: 'all' | 'account' = 'all',
): Evidence | undefined {
  const { phone_number, email_address } = data
  const recorded = readOpenedEvidence(data)
  if (!recorded || isForgotten(phone_number) || isForgotten(email_address)) return undefined
  const gathered = new Map<string, EvidenceItem>()
  if (phone_number !== undefined) {
    gathered.set('target.phone_number', { value: phone_number as string, source: 'request' })
  }
  if (email_address !== undefined) {
    gathered.set('target.email_address', { value: email_address as string, source: 'request' })
  }
  for (const [name, item] of decodeEvidence(data.arrived, recorded, of)) gathered.set(name, item)
  gathered.set('request.time', { value: timeMs, source: 'service' })
  gathered.set('flow.id', { value: data.flow_id, source: 'service' })
  return gathered
}

/** Undefined once it is forgotten. */
function readOpenedEvidence({ evidence }: FlowEvaluated): RecordedEvidence | undefined {
  if (isForgotten(evidence)) return undefined
  return evidence as Exclude<typeof evidence, SealedValue | ForgottenValue>
}
