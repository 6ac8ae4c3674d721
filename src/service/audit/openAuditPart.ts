/** Opens the audit's part of the service. */

import type { ServiceContext } from '../opening/serviceContext.ts'
import type { AuditPart } from './auditPart.ts'
import { openListLosses } from './listLosses.ts'

export function openAuditPart(context: ServiceContext): AuditPart {
  return { listLosses: openListLosses(context) }
}
