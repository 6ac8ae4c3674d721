/** Finds the application behind a host name. */

import { isAppId } from '../../domain/appId.ts'
import type { ServedApp } from '../../domain/servedApp.ts'
import { type AppState, appStream, verifyingKeys } from '../../events/sessions/app.ts'
import type { SessionsQueryContext } from './queryContext.ts'

/**
 * The application as this instance has it cached, or else as the log has it; one that is retired is none. Throws `unavailable` when too many
 * that there are not are asked for.
 */
export async function findServedApp(
  { apps, limitAppReads }: Pick<SessionsQueryContext, 'apps' | 'limitAppReads'>,
  appId: string,
): Promise<ServedApp | undefined> {
  if (!isAppId(appId)) return undefined
  const stream = appStream(appId)
  const state = apps.peek(stream)
    ? (await apps.folded(stream)).state
    : await limitAppReads(appId, async () => (await apps.catchUp(stream)).state)
  return servedApp(appId, state)
}

/** The application as this instance has it cached, from memory only: it may be of a moment ago, and there may be more. */
export function peekServedApp(
  { apps }: Pick<SessionsQueryContext, 'apps'>,
  appId: string,
): ServedApp | undefined {
  return servedApp(appId, apps.peek(appStream(appId))?.state)
}

function servedApp(appId: string, state: AppState | undefined): ServedApp | undefined {
  if (!state || state.retired_at !== undefined) return undefined
  const { account, settings } = state
  return { appId, account, settings, keys: verifyingKeys(state) }
}
