/** Registers an application, sets what it does, and retires it. */

import { isDeepStrictEqual } from 'node:util'
import {
  type AppSettings,
  type AppSettingsInput,
  usualAppSettings,
  withSettings,
} from '../../domain/appSettings.ts'
import { appNotFound, Failure, type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import { originProblem } from '../../domain/webOrigin.ts'
import type { AppEvent, AppState } from '../../events/sessions/app.ts'
import { type NewSigningKey, ownApp, signingKeyAdded } from './signingKeys.ts'

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

/** Throws `invalid_request` for settings that nothing can meet; `prefix` is where they stand in the request. */
function assertSettings(settings: AppSettings, prefix = ''): void {
  const details = [...passwordProblems(settings), ...originProblems(settings)]
  if (details.length === 0) return
  throw invalidRequest(details.map(({ path, message }) => ({ path: `${prefix}${path}`, message })))
}

function passwordProblems({ password }: AppSettings): readonly FailureDetail[] {
  const { min_length, max_length, uppercase, lowercase, numbers, symbols } = password
  if (min_length > max_length) {
    return [
      { path: 'password.min_length', message: `Must not be above max_length, ${max_length}.` },
    ]
  }
  const demanded = uppercase + lowercase + numbers + symbols
  if (demanded <= max_length) return []
  const message = `No password of at most ${max_length} characters has the ${demanded} that are demanded.`
  return [{ path: 'password.max_length', message }]
}

function originProblems({ allowed_origins: origins }: AppSettings): readonly FailureDetail[] {
  return origins.flatMap((origin, index) => {
    const message = originProblem(origin)
    return message === undefined ? [] : [{ path: `allowed_origins.${index}`, message }]
  })
}

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
