/** Declares what questions about applications, users and sessions need of the process. */

import type { SessionsContext } from '../../commands/sessions/sessionsContext.ts'
import type { Page } from '../../domain/call.ts'
import type { Principal } from '../../domain/principal.ts'
import type { Projections } from '../../projections/running/projections.ts'
import type { AppDocument } from '../../projections/sessions/apps.ts'
import type { UserDocument } from '../../projections/sessions/users.ts'
import type { BoundedLook } from '../reading/boundedLooks.ts'
import type { Found, Readers } from '../reading/documents.ts'
import type { PageAsked } from '../reading/page.ts'

export interface AppsAsked extends PageAsked {
  readonly account: string
}

export interface UsersOfApp extends PageAsked {
  readonly account: string
  readonly app: string
}

/** With what the commands need, so that a route takes one context. */
export interface SessionsQueryContext extends SessionsContext, Readers {
  readonly projections: Pick<Projections, 'active' | 'waitFor' | 'position'>
  /** Answers questions that read much, a few at a time; see `queries/heavyReads.ts`. */
  readonly heavyReads: {
    readonly ask: ((
      caller: Principal,
      name: 'listApps',
      asked: AppsAsked,
    ) => Promise<Page<Found<AppDocument>>>) &
      ((
        caller: Principal,
        name: 'listUsers',
        asked: UsersOfApp,
      ) => Promise<Page<Found<UserDocument>>>)
  }
  /** Bounds how often the log is read for applications that there are not. */
  readonly limitAppReads: BoundedLook
}
