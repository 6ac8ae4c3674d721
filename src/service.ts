/**
 * The table of contents of the system: the functions that the doors call, the sum of what each area offers. Doors give ids of the right
 * form; what has none of such an id throws `not_found`.
 */

import { type Metrics, openMetrics } from './metrics/openMetrics.ts'
import { openAuthentication, openFrontEndAuthentication } from './queries/accounts/authenticate.ts'
import { readinessOf } from './queries/operations/readiness.ts'
import type { AccountsPart } from './service/accounts/accountsPart.ts'
import type { AnalysisPart } from './service/analysis/analysisPart.ts'
import { openAnalysisPart } from './service/analysis/openAnalysisPart.ts'
import type { AuditPart } from './service/audit/auditPart.ts'
import { openAuditPart } from './service/audit/openAuditPart.ts'
import { openRetentionSweep } from './service/audit/retention.ts'
import type { EvaluationPart } from './service/evaluation/evaluationPart.ts'
import { openEvaluationPart } from './service/evaluation/openEvaluationPart.ts'
import {
  type OpenedStores,
  openStores,
  refusalOnceClosed,
  type StoreOptions,
} from './service/opening/openStores.ts'
import type { ServiceContext } from './service/opening/serviceContext.ts'
import { openManagedSet } from './service/rulebook/managedSet.ts'
import { openRulebookPart } from './service/rulebook/openRulebookPart.ts'
import type { RulebookPart } from './service/rulebook/rulebookPart.ts'
import { openPasswordSweep } from './service/sessions/destroyOldPasswords.ts'
import { openSessionsPart, type SessionsOptions } from './service/sessions/openSessionsPart.ts'
import type { SessionsPart } from './service/sessions/sessionsPart.ts'
import { openKeyTurning } from './service/sessions/turnSigningKeys.ts'

/** A new area: its part here, and its opening in `joinService`. No two parts have a function of the same name. */
export interface Service
  extends AccountsPart,
    RulebookPart,
    SessionsPart,
    EvaluationPart,
    AnalysisPart,
    AuditPart {
  /** What commands and queries are given. */
  readonly context: ServiceContext
  /** Finishes what is under way, flushes, closes the stores. */
  readonly close: () => Promise<void>
}

interface JoinOptions extends Pick<OpenedStores, 'context' | 'operatorTokenHash' | 'close'> {
  readonly sessions?: SessionsOptions
}

/** The service over its context, into which the managed rulebook has been brought; see `openManagedSet`. */
export function joinService(options: JoinOptions): Service {
  const { context, operatorTokenHash, close, sessions = {} } = options
  const { metrics } = context
  return {
    authenticate: openAuthentication(context, operatorTokenHash),
    authenticateFrontEnd: openFrontEndAuthentication(context),
    ...openRulebookPart(context),
    ...openSessionsPart(context, sessions, metrics),
    ...openEvaluationPart(context, metrics.evaluated),
    ...openAnalysisPart(context),
    ...openAuditPart(context),
    context,
    close,
  }
}

export interface ServiceOptions
  extends Omit<StoreOptions, 'metrics'>,
    Omit<SessionsOptions, 'logger'> {
  /** What counts; one that nobody else counts with unless given. */
  readonly metrics?: Metrics
}

export interface OpenedService extends Pick<OpenedStores, 'folder' | 'isNew' | 'newOperatorToken'> {
  readonly service: Service
}

/** Opens the stores and joins everything over them into the service. Rejects like `openStores`. */
export async function openService(options: ServiceOptions): Promise<OpenedService> {
  const { metrics = openMetrics() } = options
  const { context, operatorTokenHash, keysReady, close, ...opened } = await openStores({
    ...options,
    metrics,
  })
  try {
    await openManagedSet(context)
    const works = [openKeyTurning, openPasswordSweep, openRetentionSweep].map((open) =>
      open(context),
    )
    const closeAll = async (): Promise<void> => {
      for (const work of works) work.close()
      await close()
    }
    const sessions: SessionsOptions = options
    const service = joinService({ context, operatorTokenHash, sessions, close: closeAll })
    metrics.watch({
      state: async () => ({
        ...(await readinessOf(context)),
        holding: context.projections.holding(),
      }),
      keysReady,
    })
    return { service, ...opened }
  } catch (error) {
    throw await refusalOnceClosed(error, close)
  }
}
