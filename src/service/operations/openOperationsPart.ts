/** Opens the operations' part of the service. */

import type { Metrics } from '../../metrics/openMetrics.ts'
import { reach } from '../../queries/reading/reached.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { OperationsPart } from './operationsPart.ts'
import { openProjections } from './projections.ts'
import { readinessOf } from './readiness.ts'

export function openOperationsPart(context: ServiceContext, metrics: Metrics): OperationsPart {
  return {
    projections: openProjections(context),
    reach: (minPosition) => reach(context, minPosition),
    readiness: () => readinessOf(context),
    metrics,
  }
}
