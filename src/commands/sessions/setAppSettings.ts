/** Changes the settings of an application. */

import { isDeepStrictEqual } from 'node:util'
import { type AppSettingsInput, withSettings } from '../../domain/appSettings.ts'
import type { AppEvent, AppState } from '../../events/sessions/app.ts'
import { assertSettings } from './assertSettings.ts'
import { ownApp } from './ownApp.ts'

/** The decision: what the input leaves out stays as it is. Throws `app_not_found`, `invalid_request` for what cannot be met. */
export function setAppSettings(appId: string, account: string, input: AppSettingsInput) {
  return (state: AppState | undefined): readonly AppEvent[] => {
    const { settings: before } = ownApp(state, account)
    const settings = withSettings(before, input)
    assertSettings(settings)
    if (isDeepStrictEqual(settings, before)) return []
    return [{ type: 'AppSettingsSet', data: { app_id: appId, settings } }]
  }
}
