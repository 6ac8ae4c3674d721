/** Converts applications, signing keys, users and sessions to the form they are answered in. */

import type { AppSettings } from '../../domain/sessions/appSettings.ts'
import type { Identifier } from '../../domain/sessions/identifiers.ts'
import type { SessionDevice } from '../../domain/sessions/sessionDevice.ts'
import { isoTime, type WithIsoTimes } from '../../domain/text/isoTime.ts'
import type { AppState, MigrationConfig, SigningKey } from '../../events/sessions/app.ts'
import type { SessionState } from '../../events/sessions/session.ts'

/** An application as its account sees it; times in ISO 8601 UTC, as in all views. */
export interface AppView
  extends WithIsoTimes<
    Pick<AppState, 'name' | 'registered_at' | 'retired_at'>,
    'registered_at' | 'retired_at'
  > {
  readonly app_id: string
  readonly settings: AppSettings
}

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
export type MigrationConfigView = WithIsoTimes<MigrationConfig, 'created_at' | 'updated_at'>

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

/** The public half of a signing key. */
export interface SigningKeyView extends WithIsoTimes<SigningKey, 'added_at' | 'retired_at'> {
  /** The newest one signs; those before it verify until they are retired. */
  readonly status: 'signs' | 'verifies' | 'retired'
}

/** The newest last. */
export function signingKeyViews({
  signing_keys: keys,
}: Pick<AppState, 'signing_keys'>): readonly SigningKeyView[] {
  return keys.map((key, index) => signingKeyView(key, index === keys.length - 1))
}

function signingKeyView(
  { added_at, retired_at, ...key }: SigningKey,
  isLast: boolean,
): SigningKeyView {
  const status = retired_at !== undefined ? 'retired' : isLast ? 'signs' : 'verifies'
  return {
    ...key,
    status,
    added_at: isoTime(added_at),
    ...(retired_at !== undefined && { retired_at: isoTime(retired_at) }),
  }
}

export interface UserView {
  readonly id: string
  /** None of a person who was erased. */
  readonly identifiers: readonly Identifier[]
  readonly created_at: string
}

interface ShownUser extends Pick<UserView, 'identifiers'> {
  /** Milliseconds since the Unix epoch. */
  readonly created_at: number
}

export function userView(id: string, { identifiers, created_at }: ShownUser): UserView {
  return { id, identifiers, created_at: isoTime(created_at) }
}

/** Spec 2.9. */
export interface SessionView extends SessionDevice {
  readonly id: string
  readonly created_at: string
  readonly last_seen_at: string
  readonly expires_at: string
}

interface ShownSession extends Pick<SessionState, 'started_at' | 'last_seen_at' | 'expires_at'> {
  readonly device: SessionDevice
}

export function sessionView(
  id: string,
  { device, started_at, last_seen_at, expires_at }: ShownSession,
): SessionView {
  return {
    id,
    ...device,
    created_at: isoTime(started_at),
    last_seen_at: isoTime(last_seen_at),
    expires_at: isoTime(expires_at),
  }
}
