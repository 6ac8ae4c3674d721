/** Sets and deletes the migration configuration of an application (spec 4.6, 4.7). */

import type { AppEvent, AppState } from '../../events/sessions/app.ts'
import { ownApp } from './signingKeys.ts'

interface Place {
  readonly appId: string
  readonly account: string
}

/**
 * The decision: the first one keeps its time whatever comes after it, and only another URL is a change. The URL has been checked; see
 * `migrationUrlProblem`. Throws `app_not_found`.
 */
export function setMigrationConfig({ appId, account }: Place, url: string, nowMs: number) {
  return (state: AppState | undefined): readonly AppEvent[] => {
    const { migration } = ownApp(state, account)
    if (migration?.session_validation_url === url) return []
    const data = {
      app_id: appId,
      session_validation_url: url,
      created_at: migration?.created_at ?? nowMs,
      updated_at: nowMs,
    }
    return [{ type: 'MigrationConfigSet', data }]
  }
}

/** The decision: what is not set is no error. Throws `app_not_found`. */
export function deleteMigrationConfig({ appId, account }: Place) {
  return (state: AppState | undefined): readonly AppEvent[] => {
    const { migration } = ownApp(state, account)
    return migration ? [{ type: 'MigrationConfigDeleted', data: { app_id: appId } }] : []
  }
}
