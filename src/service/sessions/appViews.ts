/** An application, and what it is set to, as its account sees them. */

import { isoTime } from '../../domain/isoTime.ts'
import type { AppState, MigrationConfig } from '../../events/sessions/app.ts'
import type { AppView, MigrationConfigView } from './sessionsPart.ts'

/** The application of this id. */
export function appView(
  appId: string,
  { name, settings, registered_at, retired_at }: AppState,
): AppView {
  return {
    app_id: appId,
    name,
    settings,
    registered_at: isoTime(registered_at),
    ...(retired_at !== undefined && { retired_at: isoTime(retired_at) }),
  }
}

/** Spec 2.10. */
export function migrationConfigView({
  session_validation_url,
  created_at,
  updated_at,
}: MigrationConfig): MigrationConfigView {
  return {
    session_validation_url,
    created_at: isoTime(created_at),
    updated_at: isoTime(updated_at),
  }
}
