/**
 * The table of contents of the system: the functions that the doors call, the sum of what each area offers. Doors give ids of the right
 * form; what has none of such an id throws `not_found`.
 */

import { installShippedSet } from './commands/rulebook/managed/installManagedSet.ts'
import { rotateDueSigningKeys } from './commands/sessions/apps/signingKeys.ts'
import { openPasswordSweep } from './commands/sessions/passwords/storedPasswords.ts'
import { type Metrics, openMetrics } from './metrics/openMetrics.ts'
import { openAuthentication, openFrontEndAuthentication } from './queries/accounts/authenticate.ts'
import { readinessOf } from './queries/operations/readiness.ts'
import type { SessionsQueryContext } from './queries/sessions/queryContext.ts'
import type { AccountsPart } from './service/accounts/accountsPart.ts'
import type { AnalysisPart } from './service/analysis/analysisPart.ts'
import { openAnalysisPart } from './service/analysis/openAnalysisPart.ts'
import type { EvaluationPart } from './service/evaluation/evaluationPart.ts'
import { openEvaluationPart } from './service/evaluation/openEvaluationPart.ts'
import { openHourlyWork } from './service/opening/hourlyWork.ts'
import { openSessionsContext, type SessionsOptions } from './service/opening/openSessionsContext.ts'
import {
  type OpenedStores,
  openStores,
  refusalOnceClosed,
  type StoreOptions,
} from './service/opening/openStores.ts'
import { openRetentionSweep } from './service/opening/retentionSweep.ts'
import type { ServiceContext } from './service/opening/serviceContext.ts'

/** A new area: its part here, and its opening in `joinService`. No two parts have a function of the same name. */
export interface Service extends AccountsPart, EvaluationPart, AnalysisPart {
  /** What commands and queries are given. */
  readonly context: ServiceContext
  /** What the commands and queries of sessions are called with. */
  readonly sessionsContext: SessionsQueryContext
  /** Finishes what is under way, flushes, closes the stores. */
  readonly close: () => Promise<void>
}

interface JoinOptions extends Pick<OpenedStores, 'context' | 'operatorTokenHash' | 'close'> {
  readonly sessions?: SessionsOptions
}

/** The service over its context, into which the managed rulebook has been brought; see `installShippedSet`. */
export function joinService(options: JoinOptions): Service {
  const { context, operatorTokenHash, close, sessions = {} } = options
  const { metrics } = context
  return {
    authenticate: openAuthentication(context, operatorTokenHash),
    authenticateFrontEnd: openFrontEndAuthentication(context),
    sessionsContext: openSessionsContext(context, sessions, metrics),
    ...openEvaluationPart(context, metrics.evaluated),
    ...openAnalysisPart(context),
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
    await installShippedSet(context)
    const sessions: SessionsOptions = options
    const service = joinService({
      context,
      operatorTokenHash,
      sessions,
      close: async () => {
        for (const work of works) work.close()
        await close()
      },
    })
    const { sessionsContext } = service
    const works = [
      openHourlyWork(context, () => rotateDueSigningKeys(sessionsContext)),
      openHourlyWork(context, openPasswordSweep(sessionsContext)),
      openRetentionSweep(context),
    ]
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
