/** Lists every route of the API, on the main host and on application hosts. */

import type { Service } from '../app/serviceContext.ts'
import { accountRoutes, operatorRoutes } from './accounts/accountRoutes.ts'
import { sdkKeyRoutes } from './accounts/sdkKeyRoutes.ts'
import { tokenRoutes } from './accounts/tokenRoutes.ts'
import { analysisRoutes } from './analysis/analysisRoutes.ts'
import { usageRoutes } from './analysis/usageRoutes.ts'
import { auditRoutes } from './audit/auditRoutes.ts'
import { evalRoutes, predictRoutes } from './evaluation/evalRoutes.ts'
import { evaluationRoutes } from './evaluation/evaluationRoutes.ts'
import { ruleTestRoutes } from './evaluation/ruleTestRoutes.ts'
import { feedbackRoutes } from './feedback/feedbackRoutes.ts'
import { reportRoutes } from './feedback/reportRoutes.ts'
import { openapiRoute } from './interface/openapiRoute.ts'
import { openListShares } from './lists/listShares.ts'
import { namedListRoutes } from './lists/namedListRoutes.ts'
import { phoneListRoutes } from './lists/phoneListRoutes.ts'
import { openTokenBuckets } from './middleware/limitRates.ts'
import { healthRoutes } from './operations/healthRoutes.ts'
import { type MetricsAccess, metricsRoute } from './operations/metricsRoute.ts'
import { projectionRoutes } from './operations/projectionRoutes.ts'
import type { Route } from './request/route.ts'
import { flowRoutes, recipeRoutes, ruleRoutes, signalRoutes } from './rulebook/authoredRoutes.ts'
import { changeRoutes } from './rulebook/changeRoutes.ts'
import { managedRoutes } from './rulebook/managedRoutes.ts'
import { appRoutes, keySetRoute, migrationRoutes, signingKeyRoutes } from './sessions/appRoutes.ts'
import { migrateSessionRoute } from './sessions/migrateSessionRoute.ts'
import { ownSessionRoutes } from './sessions/ownSessionRoutes.ts'
import { ownPasswordRoute, passwordPolicyRoute, passwordRoutes } from './sessions/passwordRoutes.ts'
import { refreshRoutes } from './sessions/refreshRoutes.ts'
import type { CountrySource } from './sessions/seenCountry.ts'
import { userRoutes, userSessionRoutes } from './sessions/userRoutes.ts'
import { dispatchRoutes } from './signals/dispatchRoutes.ts'
import { type FrontEndOptions, frontEndRoutes } from './signals/frontEndRoutes.ts'
import { senderIdRoutes, submittedSenderIdRoutes } from './verification/senderIdRoutes.ts'
import { templateRoutes } from './verification/templateRoutes.ts'

interface RoutesOptions {
  /** Who may read `/metrics`; the operator unless given. */
  readonly metricsAccess?: MetricsAccess | undefined
  /** How front ends are let in, and what of their connections is believed; as usual, without proxies, unless given. */
  readonly frontEnds?: FrontEndOptions & CountrySource
}

const usualRates = openTokenBuckets(() => performance.now())
const frontEndsAsUsual: FrontEndOptions & CountrySource = {
  trustedProxies: 0,
  ja4Header: undefined,
  rates: usualRates,
}

/** The registry of all routes: routing, checks and the OpenAPI documents are built from it. */
export function listRoutes(
  service: Service,
  { metricsAccess = 'operator', frontEnds = frontEndsAsUsual }: RoutesOptions = {},
): readonly Route[] {
  const listShares = openListShares()
  const routes = [
    ...evalRoutes(service),
    ...predictRoutes(service),
    ...feedbackRoutes(service),
    ...reportRoutes(service),
    ...evaluationRoutes(service),
    ...analysisRoutes(service),
    ...auditRoutes(service),
    ...managedRoutes(service),
    ...ruleRoutes(service),
    ...recipeRoutes(service),
    ...flowRoutes(service),
    ...changeRoutes(service),
    ...signalRoutes(service),
    ...ruleTestRoutes(service),
    ...usageRoutes(service),
    ...accountRoutes(service),
    ...operatorRoutes(service),
    ...tokenRoutes(service),
    ...sdkKeyRoutes(service),
    ...dispatchRoutes(service),
    ...frontEndRoutes(service, frontEnds),
    ...phoneListRoutes(service, listShares),
    ...senderIdRoutes(service),
    ...templateRoutes(service),
    ...submittedSenderIdRoutes(service),
    ...appRoutes(service),
    ...migrationRoutes(service),
    ...namedListRoutes(service, listShares),
    ...signingKeyRoutes(service),
    ...userRoutes(service),
    ...passwordRoutes(service, frontEnds.rates),
    ...userSessionRoutes(service),
    ...projectionRoutes(service),
    ...healthRoutes(service),
    metricsRoute(service, metricsAccess),
  ]
  const ofSession = [
    keySetRoute(),
    passwordPolicyRoute(),
    ownPasswordRoute(service, frontEnds.rates),
    ...ownSessionRoutes(service, frontEnds.rates),
    ...refreshRoutes(service, frontEnds),
    migrateSessionRoute(service, frontEnds),
  ]
  return [...routes, openapiRoute(routes, 'main'), ...ofSession, openapiRoute(ofSession, 'session')]
}
