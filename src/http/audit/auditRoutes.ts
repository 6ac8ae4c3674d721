/** Collects the routes of the audit area: history, configuration, losses, erasure, replays. */

import type { Route, Served } from '../request/route.ts'
import { configurationRoutes } from './configurationRoutes.ts'
import { erasureRoutes } from './erasureRoutes.ts'
import { historyRoutes } from './historyRoutes.ts'
import { lossRoutes } from './lossRoutes.ts'
import { replayRoutes } from './replayRoutes.ts'
import { retentionRoutes } from './retentionRoutes.ts'

export function auditRoutes(served: Served): readonly Route[] {
  return [
    ...historyRoutes(served),
    ...configurationRoutes(served),
    ...lossRoutes(served),
    ...erasureRoutes(served),
    ...retentionRoutes(served),
    ...replayRoutes(served),
  ]
}
