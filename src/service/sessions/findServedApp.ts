/** The application behind a host name. */

import { isAppId } from '../../domain/appId.ts'
import type { FindServedApp, PeekServedApp, ServedApp } from '../../domain/servedApp.ts'
import { type AppState, appStream, verifyingKeys } from '../../events/sessions/app.ts'
import { openBoundedLooks } from '../opening/boundedLooks.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'

/**
 * Answers the application as this instance holds it, or else after one look into the log; one that is retired is none. Throws
 * `unavailable` when too many that there are not are asked for.
 */
export function openFindServedApp({
  apps,
  clock,
}: Pick<ServiceContext, 'apps' | 'clock'>): FindServedApp {
  const look = openBoundedLooks(clock, { called: 'applications', perSecondMax: 2_000 })
  return async (appId) => {
    if (!isAppId(appId)) return undefined
    const stream = appStream(appId)
    const state = apps.peek(stream)
      ? (await apps.folded(stream)).state
      : await look(appId, async () => (await apps.catchUp(stream)).state)
    return servedApp(appId, state)
  }
}

/** Answers the application as this instance holds it, without a look anywhere: it may be of a moment ago, and there may be more. */
export function openPeekServedApp({ apps }: Pick<ServiceContext, 'apps'>): PeekServedApp {
  return (appId) => servedApp(appId, apps.peek(appStream(appId))?.state)
}

function servedApp(appId: string, state: AppState | undefined): ServedApp | undefined {
  if (!state || state.retired_at !== undefined) return undefined
  const { account, settings } = state
  return { appId, account, settings, keys: verifyingKeys(state) }
}
