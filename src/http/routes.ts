/** Lists every route of the API, on the main host and on application hosts. */

import { accountRoutes } from './accounts/accountRoutes.ts'
import { whoamiRoute } from './accounts/whoamiRoute.ts'
import { evaluationListRoute, ruleUsageRoute } from './analysis/analysisRoutes.ts'
import { backtestRoutes } from './analysis/backtestRoutes.ts'
import { groupRoutes } from './analysis/groupRoutes.ts'
import { previewRoute } from './analysis/previewRoute.ts'
import { reportExportRoutes } from './analysis/reportExportRoutes.ts'
import { reviewRoutes } from './analysis/reviewRoutes.ts'
import { rulesReportRoutes } from './analysis/rulesReportRoutes.ts'
import { scanRoutes } from './analysis/scanRoutes.ts'
import { statisticsRoute } from './analysis/statisticsRoute.ts'
import { versionVerdictsRoute } from './analysis/versionVerdictsRoute.ts'
import { configurationRoutes } from './audit/configurationRoutes.ts'
import { erasureRoutes } from './audit/erasureRoutes.ts'
import { historyRoute, lossRoute } from './audit/historyRoutes.ts'
import { replayRoutes } from './audit/replayRoutes.ts'
import { retentionRoutes } from './audit/retentionRoutes.ts'
import { evaluateRoute, predictRoutes } from './evaluation/evaluateRoutes.ts'
import { recordedEvaluationRoutes } from './evaluation/recordedEvaluationRoutes.ts'
import { ruleTestRoutes } from './evaluation/ruleTestRoutes.ts'
import { feedbackRoutes } from './feedback/feedbackRoutes.ts'
import { evaluationImportRoute } from './feedback/importRoutes.ts'
import { labelRoutes } from './feedback/labelRoutes.ts'
import { type ListLimits, openListLimits } from './lists/listLimits.ts'
import { namedListRoutes } from './lists/namedListRoutes.ts'
import { phoneListRoutes } from './lists/phoneListRoutes.ts'
import { openTokenBuckets } from './middleware/limitRates.ts'
import { openapiRoute } from './openapi/openapiRoute.ts'
import {
  healthRoutes,
  type MetricsAccess,
  metricsRoute,
  projectionRoutes,
} from './operations/operationRoutes.ts'
import type { Route } from './request/route.ts'
import { rulebookRoutes } from './rulebook/rulebookRoutes.ts'
import {
  appRoutes,
  keySetRoute,
  migrationConfigRoutes,
  signingKeyRoutes,
} from './sessions/appRoutes.ts'
import { migrateSessionRoute } from './sessions/migrateSessionRoute.ts'
import { ownSessionRoutes } from './sessions/ownSessionRoutes.ts'
import { ownPasswordRoute, passwordPolicyRoute, passwordRoutes } from './sessions/passwordRoutes.ts'
import { refreshRoutes } from './sessions/refreshRoutes.ts'
import { userRoutes, userSessionRoutes } from './sessions/userRoutes.ts'
import { dispatchRoute } from './signals/dispatchRoutes.ts'
import { defineFrontEndRoute, type FrontEndOptions } from './signals/frontEndRoutes.ts'
import { operatorSenderIdRoutes, senderIdRoutes } from './verification/senderIdRoutes.ts'
import { templateRoutes } from './verification/templateRoutes.ts'

interface RoutesOptions {
  /** Who may read `/metrics`; the operator unless given. */
  readonly metricsAccess?: MetricsAccess | undefined
  /** How front ends are let in, and what of their connections is believed; as usual, without proxies, unless given. */
  readonly frontEnds?: FrontEndOptions
}

/** The registry of all routes, from which routing, checks and the OpenAPI documents are built, in their order. */
export function listRoutes({
  metricsAccess = 'operator',
  frontEnds = { trustedProxies: 0, rates: openTokenBuckets(() => performance.now()) },
}: RoutesOptions = {}): readonly Route[] {
  const listLimits = openListLimits()
  const routes = [
    evaluateRoute,
    ...predictRoutes,
    ...feedbackRoutes,
    ...labelRoutes,
    evaluationImportRoute(listLimits.imports),
    ...recordedEvaluationRoutes,
    evaluationListRoute(listLimits.longAnswers),
    ...backtestRoutes,
    ...listScanRoutes(listLimits),
    historyRoute,
    ...configurationRoutes,
    lossRoute,
    ...erasureRoutes,
    ...retentionRoutes,
    ...replayRoutes,
    ...rulebookRoutes,
    ...ruleTestRoutes,
    ruleUsageRoute,
    ...accountRoutes,
    whoamiRoute,
    dispatchRoute,
    defineFrontEndRoute(frontEnds),
    ...phoneListRoutes(listLimits),
    ...senderIdRoutes,
    ...templateRoutes,
    ...operatorSenderIdRoutes,
    ...appRoutes,
    ...migrationConfigRoutes,
    ...namedListRoutes(listLimits),
    ...signingKeyRoutes,
    ...userRoutes,
    ...passwordRoutes(frontEnds.rates),
    ...userSessionRoutes,
    ...projectionRoutes,
    ...healthRoutes,
    metricsRoute(metricsAccess),
  ]
  const ofSession = [
    keySetRoute,
    passwordPolicyRoute,
    ownPasswordRoute(frontEnds.rates),
    ...ownSessionRoutes(frontEnds.rates),
    ...refreshRoutes(frontEnds),
    migrateSessionRoute(frontEnds),
  ]
  return [...routes, openapiRoute(routes, 'main'), ...ofSession, openapiRoute(ofSession, 'session')]
}

/** The routes whose answers are made of a scan. */
function listScanRoutes({ longAnswers, previews }: ListLimits): readonly Route[] {
  return [
    ...scanRoutes(longAnswers),
    ...rulesReportRoutes(longAnswers),
    ...reportExportRoutes(longAnswers),
    ...groupRoutes(longAnswers),
    previewRoute(previews),
    versionVerdictsRoute(longAnswers),
    ...reviewRoutes(longAnswers),
    statisticsRoute(longAnswers),
  ]
}
