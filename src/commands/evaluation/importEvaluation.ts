/** Imports one evaluation of the past, once for the caller's id, by the flow of today. */

import type { Call } from '../../domain/call.ts'
import { Failure, invalidRequest } from '../../domain/failure.ts'
import type { EventContext } from '../../events/recording/event.ts'
import type { EvaluationRequest } from '../../state/evaluation/gatherEvidence.ts'
import { buildEventContext } from '../handling/executeCommand.ts'
import {
  deriveEvaluationId,
  type EvaluationContext,
  evaluateAndRecord,
  findRecorded,
  readRulebookWithFlow,
  unknownFlow,
} from './evaluateFlow.ts'

/** An evaluation to be imported. */
export interface EvaluationToImport {
  /** The caller's: what was imported under it is not imported again. */
  readonly id: string
  readonly request: EvaluationRequest & Required<Pick<EvaluationRequest, 'occurred_at'>>
}

export interface ImportedEvaluation {
  readonly evaluationId: string
  /** Of its record; 0 when it was only checked, and is not on record. */
  readonly position: number
  /** Whether it was on record before. */
  readonly isRepeated: boolean
}

/**
 * Throws `invalid_request` for an unknown flow, a time in the future, and an id under which something else was
 * imported; and what evaluating throws.
 */
export async function importEvaluation(
  context: EvaluationContext,
  call: Call,
  { id, request }: EvaluationToImport,
): Promise<ImportedEvaluation> {
  const eventContext = buildImportContext(context, call, { id, request })
  const { position, isRepeated } = await evaluateAndRecord(
    context,
    eventContext,
    () => request,
  ).catch(throwForId)
  return { evaluationId: deriveEvaluationId(eventContext), position, isRepeated }
}

/** Same, but records nothing. */
export async function checkImport(
  context: EvaluationContext,
  call: Call,
  { id, request }: EvaluationToImport,
): Promise<ImportedEvaluation> {
  const eventContext = buildImportContext(context, call, { id, request })
  const evaluationId = deriveEvaluationId(eventContext)
  const found = await findRecorded(context, eventContext, evaluationId).catch(throwForId)
  if (found) return { evaluationId, position: found.position, isRepeated: true }
  const { flow_id } = request
  const { state } = await readRulebookWithFlow(context, eventContext.account, flow_id)
  if (!state.flows.get(flow_id)?.current) throw invalidRequest([unknownFlow])
  return { evaluationId, position: 0, isRepeated: false }
}

function buildImportContext(
  context: EvaluationContext,
  call: Call,
  { id, request }: EvaluationToImport,
): EventContext {
  const eventContext = buildEventContext(
    context,
    { ...call, idempotencyKey: id },
    {
      account: call.principal.accountId,
      operation: 'evaluations.import',
      input: request,
      ownStream: true,
    },
  )
  if (request.occurred_at > eventContext.time) {
    throw invalidRequest([{ path: 'occurred_at', message: 'Must be in the past.' }])
  }
  return eventContext
}

function throwForId(error: unknown): never {
  if (!(error instanceof Failure) || error.code !== 'idempotency_key_reused') throw error
  throw invalidRequest([{ path: 'id', message: 'Something else was imported under this id.' }])
}
