/** Every route of the API. */

import type { Service } from '../service.ts'
import type { Route } from './route.ts'
import { accountRoutes } from './routes/accounts.ts'
import { analysisRoutes } from './routes/analysis.ts'
import { evalRoutes } from './routes/eval.ts'
import { evaluationRoutes } from './routes/evaluations.ts'
import { flowRoutes } from './routes/flows.ts'
import { healthRoutes } from './routes/health.ts'
import { managedRoutes } from './routes/managed.ts'
import { type MetricsAccess, metricsRoute } from './routes/metrics.ts'
import { openapiRoute } from './routes/openapi.ts'
import { operatorRoutes } from './routes/operator.ts'
import { projectionRoutes } from './routes/projections.ts'
import { recipeRoutes } from './routes/recipes.ts'
import { ruleRoutes } from './routes/rules.ts'
import { signalRoutes } from './routes/signals.ts'
import { tryOutRoutes } from './routes/tryOut.ts'
import { usageRoutes } from './routes/usage.ts'

/** The one registry: the router, the checks and the interface description are built from it. */
export function listRoutes(
  service: Service,
  metricsAccess: MetricsAccess = 'operator',
): readonly Route[] {
  const routes = [
    ...evalRoutes(service),
    ...evaluationRoutes(service),
    ...analysisRoutes(service),
    ...managedRoutes(service),
    ...ruleRoutes(service),
    ...recipeRoutes(service),
    ...flowRoutes(service),
    ...signalRoutes(service),
    ...tryOutRoutes(service),
    ...usageRoutes(service),
    ...accountRoutes(service),
    ...operatorRoutes(service),
    ...projectionRoutes(service),
    ...healthRoutes(service),
    metricsRoute(service, metricsAccess),
  ]
  return [...routes, openapiRoute(routes)]
}
