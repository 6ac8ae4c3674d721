/** Changes the settings and migration configuration of applications, and retires them. */

import { isDeepStrictEqual } from 'node:util'
import type { Call, Written } from '../../../domain/call.ts'
import { appNotFound, type FailureDetail, invalidRequest } from '../../../domain/failure.ts'
import { migrationUrlMax, migrationUrlProblem } from '../../../domain/network/outboundHost.ts'
import { originProblem } from '../../../domain/network/webOrigin.ts'
import type { Principal } from '../../../domain/principal.ts'
import { closedObject, type TypeOf } from '../../../domain/schema.ts'
import {
  type AppSettings,
  type AppSettingsInput,
  withSettings,
} from '../../../domain/sessions/appSettings.ts'
import { type AppEvent, type AppState, verifyingKeys } from '../../../events/sessions/app.ts'
import type { Writing } from '../../handling/context.ts'
import type { AppRef, SessionsContext } from '../sessionsContext.ts'
import { type AppView, appView, type MigrationConfigView, migrationConfigView } from '../views.ts'
import { changeApp, ownApp } from './ownApp.ts'
import { destroySigningKeys } from './signingKeys.ts'

type AppWriting = Writing & Pick<SessionsContext, 'apps'>

interface SettingsChange {
  readonly app: AppRef
  /** What it leaves out stays as it is. */
  readonly settings: AppSettingsInput
}

/** Throws `app_not_found`, `invalid_request` for settings that cannot be met. */
export async function configureApp(
  context: AppWriting,
  call: Call<Principal>,
  { app, settings }: SettingsChange,
): Promise<Written<AppView>> {
  const decide = decideSettings(app, settings)
  const change = { operation: 'apps.configure', input: settings, decide }
  const written = await changeApp(context, { call, app }, change)
  return { ...written, value: appView(app.appId, written.value) }
}

function decideSettings({ appId, account }: AppRef, input: AppSettingsInput) {
  return (state: AppState | undefined): readonly AppEvent[] => {
    const { settings: before } = ownApp(state, account)
    const settings = withSettings(before, input)
    assertSettings(settings)
    if (isDeepStrictEqual(settings, before)) return []
    return [{ type: 'AppSettingsSet', data: { app_id: appId, settings } }]
  }
}

/** Throws `invalid_request` for settings that nothing can meet; `prefix` is their path in the request. */
export function assertSettings(settings: AppSettings, prefix = ''): void {
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

/** Permanent: the id is never free again. Repeating it is no error. Throws `app_not_found`. */
export async function retireApp(
  context: AppWriting,
  call: Call<Principal>,
  app: AppRef,
): Promise<Written<void>> {
  const decide = (state: AppState | undefined, nowMs: number) => decideRetirement(app, state, nowMs)
  const change = { operation: 'apps.retire', input: null, decide }
  const written = await changeApp(context, { call, app }, change)
  // done again when the request is: an application that is retired signs nothing
  await destroySigningKeys(
    context,
    verifyingKeys(written.value).map(({ kid }) => kid),
  )
  return { ...written, value: undefined }
}

function decideRetirement(
  { appId, account }: AppRef,
  state: AppState | undefined,
  nowMs: number,
): readonly AppEvent[] {
  if (state?.account !== account) throw appNotFound()
  if (state.retired_at !== undefined) return []
  return [{ type: 'AppRetired', data: { app_id: appId, retired_at: nowMs } }]
}

export const migrationConfigInputSchema = closedObject('MigrationConfigInput', {
  session_validation_url: {
    type: 'string',
    minLength: 1,
    maxLength: migrationUrlMax,
    description:
      'Where legacy sessions are validated: an HTTPS URL of the public Internet, without user name, password and fragment.',
  },
})

interface MigrationChange extends TypeOf<typeof migrationConfigInputSchema> {
  readonly app: AppRef
}

/** Throws `app_not_found`, and `invalid_request` for a URL that is not to be called. */
export async function setMigrationConfig(
  context: AppWriting & Pick<SessionsContext, 'privateMigrationHosts'>,
  call: Call<Principal>,
  { app, session_validation_url: url }: MigrationChange,
): Promise<Written<MigrationConfigView>> {
  const message = migrationUrlProblem(url, context.privateMigrationHosts)
  if (message !== undefined) throw invalidRequest([{ path: 'session_validation_url', message }])
  const decide = (state: AppState | undefined, nowMs: number) =>
    decideMigrationUrl(app, url, nowMs)(state)
  const change = { operation: 'migration_config.set', input: url, decide }
  const written = await changeApp(context, { call, app }, change)
  const { migration } = written.value
  if (!migration) throw new Error('a migration configuration was not set')
  return { ...written, value: migrationConfigView(migration) }
}

/** The first one keeps its time whatever comes after it, and only another URL is a change. */
function decideMigrationUrl({ appId, account }: AppRef, url: string, nowMs: number) {
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

/** An unset one is no error. Throws `app_not_found`. */
export async function deleteMigrationConfig(
  context: AppWriting,
  call: Call<Principal>,
  app: AppRef,
): Promise<Written<void>> {
  const decide = (state: AppState | undefined): readonly AppEvent[] => {
    const { migration } = ownApp(state, app.account)
    return migration ? [{ type: 'MigrationConfigDeleted', data: { app_id: app.appId } }] : []
  }
  const change = { operation: 'migration_config.delete', input: null, decide }
  return { ...(await changeApp(context, { call, app }, change)), value: undefined }
}
