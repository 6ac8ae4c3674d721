/** What auditors ask and may do. */

import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type { AuditPart } from '../../service/audit/auditPart.ts'
import type { Route, Served } from '../request/route.ts'
import { erasureRoutes } from './erasureRoutes.ts'
import { historyRoutes } from './historyRoutes.ts'
import { lossRoutes } from './lossRoutes.ts'
import { retentionRoutes } from './retentionRoutes.ts'

export function auditRoutes(service: AccountsPart & AuditPart & Served): readonly Route[] {
  return [
    ...historyRoutes(service),
    ...lossRoutes(service),
    ...erasureRoutes(service),
    ...retentionRoutes(service),
  ]
}
