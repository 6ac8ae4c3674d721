/**
 * The table of contents of the system: the functions that the doors call, the sum of what each area offers. Doors give ids of the right
 * form; what has none of such an id throws `not_found`.
 */

import { type Metrics, openMetrics } from './metrics/openMetrics.ts'
import type { AccountsPart } from './service/accounts/accountsPart.ts'
import { openAccountsPart } from './service/accounts/openAccountsPart.ts'
import type { AnalysisPart } from './service/analysis/analysisPart.ts'
import { openAnalysisPart } from './service/analysis/openAnalysisPart.ts'
import type { AuditPart } from './service/audit/auditPart.ts'
import { openAuditPart } from './service/audit/openAuditPart.ts'
import type { EvaluationPart } from './service/evaluation/evaluationPart.ts'
import { openEvaluationPart } from './service/evaluation/openEvaluationPart.ts'
import type { FeedbackPart } from './service/feedback/feedbackPart.ts'
import { openFeedbackPart } from './service/feedback/openFeedbackPart.ts'
import type { ListsPart } from './service/lists/listsPart.ts'
import { openListsPart } from './service/lists/openListsPart.ts'
import type { ServiceContext } from './service/opening/serviceContext.ts'
import { openOperationsPart } from './service/operations/openOperationsPart.ts'
import type { OperationsPart } from './service/operations/operationsPart.ts'
import { openRulebookPart } from './service/rulebook/openRulebookPart.ts'
import type { RulebookPart } from './service/rulebook/rulebookPart.ts'
import { openSessionsPart, type SessionsOptions } from './service/sessions/openSessionsPart.ts'
import type { SessionsPart } from './service/sessions/sessionsPart.ts'
import { openSignalsPart } from './service/signals/openSignalsPart.ts'
import type { SignalsPart } from './service/signals/signalsPart.ts'
import { openVerificationPart } from './service/verification/openVerificationPart.ts'
import type { VerificationPart } from './service/verification/verificationPart.ts'

/** A new area: its part here, and its opening in `joinService`. No two parts have a function of the same name. */
export interface Service
  extends AccountsPart,
    RulebookPart,
    SignalsPart,
    ListsPart,
    VerificationPart,
    SessionsPart,
    EvaluationPart,
    FeedbackPart,
    AnalysisPart,
    AuditPart,
    OperationsPart {
  /** Finishes what is under way, flushes, closes the stores. */
  readonly close: () => Promise<void>
}

interface JoinOptions extends Pick<Service, 'close'> {
  readonly context: ServiceContext
  /** SHA-256 of the operator's token, hexadecimal. */
  readonly operatorTokenHash: string
  readonly metrics?: Metrics
  readonly sessions?: SessionsOptions
}

/** The service over its context, into which the managed rulebook has been brought; see `openManagedSet`. */
export function joinService(options: JoinOptions): Service {
  const { context, operatorTokenHash, close, metrics = openMetrics(), sessions = {} } = options
  return {
    ...openAccountsPart(context, operatorTokenHash),
    ...openRulebookPart(context),
    ...openSignalsPart(context),
    ...openListsPart(context),
    ...openVerificationPart(context),
    ...openSessionsPart(context, sessions, metrics),
    ...openEvaluationPart(context, metrics.evaluated),
    ...openFeedbackPart(context, metrics.reported),
    ...openAnalysisPart(context),
    ...openAuditPart(context),
    ...openOperationsPart(context, metrics),
    close,
  }
}
