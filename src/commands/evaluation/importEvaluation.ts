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

interface Imported {
  readonly evaluationId: string
  /** Of its record; 0 where a dry run found none. */
  readonly position: number
  /** Whether it was on record before. */
  readonly isRepeated: boolean
}

/**
 * A dry run records nothing. Throws `invalid_request` for an unknown flow, a time in the future, and an id under which
 * something else was imported; and what evaluating throws.
 */
export async function importEvaluation(
  context: EvaluationContext,
  call: Call,
  { id, request, isDryRun }: EvaluationToImport & { readonly isDryRun: boolean },
): Promise<Imported> {
  const account = call.principal.accountId
  const intention = { account, operation: 'evaluations.import', input: request, ownStream: true }
  const eventContext = buildEventContext(context, { ...call, idempotencyKey: id }, intention)
  if (request.occurred_at > eventContext.time)
    throw buildRefusal('occurred_at', 'Must be in the past.')
  const recorded = isDryRun
    ? findOrCheck(context, eventContext, request.flow_id)
    : evaluateAndRecord(context, eventContext, () => request)
  const { position, isRepeated } = await recorded.catch((error: unknown) => {
    if (!(error instanceof Failure) || error.code !== 'idempotency_key_reused') throw error
    throw buildRefusal('id', 'Something else was imported under this id.')
  })
  return { evaluationId: deriveEvaluationId(eventContext), position, isRepeated }
}

async function findOrCheck(
  context: EvaluationContext,
  eventContext: EventContext,
  flowId: string,
): Promise<Pick<Imported, 'position' | 'isRepeated'>> {
  const found = await findRecorded(context, eventContext, deriveEvaluationId(eventContext))
  if (found) return found
  const { state } = await readRulebookWithFlow(context, eventContext.account, flowId)
  if (!state.flows.get(flowId)?.current) throw invalidRequest([unknownFlow])
  return { position: 0, isRepeated: false }
}

function buildRefusal(path: string, message: string): Failure {
  return invalidRequest([{ path, message }])
}
