/** Registers an application, and retires one. */

import {
  type AppSettings,
  type AppSettingsInput,
  usualAppSettings,
  withSettings,
} from '../../domain/appSettings.ts'
import { appNotFound, Failure } from '../../domain/failure.ts'
import type { AppEvent, AppState } from '../../events/sessions/app.ts'
import { assertSettings } from './assertSettings.ts'
import { type NewSigningKey, signingKeyAdded } from './signingKeys.ts'

interface RegisterAppInput {
  readonly appId: string
  readonly account: string
  readonly name: string
  /** What is left out is as usual. */
  readonly settings: AppSettingsInput
  /** The first one that signs. */
  readonly key: NewSigningKey
}

/**
 * The decision: an id is given once, for ever. Throws `conflict` for one that is taken, in the same words whoever has it, and
 * `invalid_request` for settings that cannot be met.
 */
export function registerApp(
  { appId, account, name, settings: input, key }: RegisterAppInput,
  nowMs: number,
) {
  return (state: AppState | undefined): readonly AppEvent[] => {
    if (state) throw new Failure('conflict', 'This application id is taken; choose another.')
    const settings: AppSettings = withSettings(usualAppSettings, input)
    assertSettings(settings, 'settings.')
    const data = { app_id: appId, account_id: account, name, settings, registered_at: nowMs }
    return [{ type: 'AppRegistered', data }, signingKeyAdded(appId, key, nowMs)]
  }
}

/** The decision: again is no error. Throws `app_not_found`. */
export function retireApp(appId: string, account: string, nowMs: number) {
  return (state: AppState | undefined): readonly AppEvent[] => {
    if (state?.account !== account) throw appNotFound()
    if (state.retired_at !== undefined) return []
    return [{ type: 'AppRetired', data: { app_id: appId, retired_at: nowMs } }]
  }
}
