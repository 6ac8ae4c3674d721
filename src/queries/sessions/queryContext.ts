/** Declares what queries on applications, users and sessions need of the process. */

import type { SessionsContext } from '../../commands/sessions/sessionsContext.ts'
import type { QueryContext } from '../reading/context.ts'
import type { LimitedLookup } from '../reading/lookupLimits.ts'

/** With what the commands need, so that a route takes one context. */
export interface SessionsQueryContext
  extends SessionsContext,
    Pick<QueryContext, 'documents' | 'heavyReads'> {
  readonly projections: QueryContext['projections']
  /** Bounds how often the log is read for applications that there are not. */
  readonly limitAppReads: LimitedLookup
}
