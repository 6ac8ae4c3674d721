/** Collects the routes of the audit area: history, losses, erasure, retention and replays. */

import type { Route, Served } from '../request/route.ts'
import { erasureRoutes } from './erasureRoutes.ts'
import { historyRoutes } from './historyRoutes.ts'
import { lossRoutes } from './lossRoutes.ts'
import { replayRoutes } from './replayRoutes.ts'
import { retentionRoutes } from './retentionRoutes.ts'

export function auditRoutes(served: Served): readonly Route[] {
  return [
    ...historyRoutes(served),
    ...lossRoutes(served),
    ...erasureRoutes(served),
    ...retentionRoutes(served),
    ...replayRoutes(served),
  ]
}
