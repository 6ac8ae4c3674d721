/** Changes the settings and migration configuration of applications, and retires them. */

import { isDeepStrictEqual } from 'node:util'
import type { Call, WriteResult } from '../../../domain/call.ts'
import { type FailureDetail, invalidRequest } from '../../../domain/failure.ts'
import { closedObject, type TypeOf } from '../../../domain/jsonSchema.ts'
import { findMigrationUrlProblem, migrationUrlMax } from '../../../domain/network/outboundHost.ts'
import { listOriginProblems } from '../../../domain/network/webOrigin.ts'
import type { Principal } from '../../../domain/principal.ts'
import {
  type AppSettings,
  type AppSettingsInput,
  mergeAppSettings,
} from '../../../domain/sessions/appSettings.ts'
import { listVerifyingKeys } from '../../../events/sessions/appEvents.ts'
import type { AppRef } from '../../../state/sessions/sessionStreamTypes.ts'
import {
  type AppView,
  buildAppView,
  buildMigrationConfigView,
  type MigrationConfigView,
} from '../../../state/sessions/views.ts'
import type { SessionsContext } from '../sessionsContext.ts'
import { type AppWriteContext, changeApp } from './accountApp.ts'
import { destroySigningKeys } from './signingKeys.ts'

/** Fields left out stay as they are. Throws `app_not_found`, `invalid_request` for settings that cannot be met. */
export async function configureApp(
  context: AppWriteContext,
  call: Call<Principal>,
  { app, settings: input }: { readonly app: AppRef; readonly settings: AppSettingsInput },
): Promise<WriteResult<AppView>> {
  const { appId: app_id } = app
  return changeApp(context, call, {
    app,
    operation: 'apps.configure',
    input,
    decide: ({ settings: before }) => {
      const settings = mergeAppSettings(before, input)
      assertSettings(settings)
      if (isDeepStrictEqual(settings, before)) return []
      return [{ type: 'AppSettingsSet', data: { app_id, settings } }]
    },
    present: (state) => buildAppView(app_id, state),
  })
}

/** Throws `invalid_request` for settings that nothing can meet; `prefix` is their path in the request. */
export function assertSettings(settings: AppSettings, prefix = ''): void {
  const origins = listOriginProblems(settings.allowed_origins, 'allowed_origins')
  const details = [...passwordProblems(settings), ...origins]
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

/** Permanent: the id stays taken. Repeating it is no error. Throws `app_not_found`. */
export async function retireApp(
  context: AppWriteContext,
  call: Call<Principal>,
  app: AppRef,
): Promise<WriteResult<void>> {
  const written = await changeApp(context, call, {
    app,
    operation: 'apps.retire',
    allowsRetired: true,
    decide: ({ retired_at }, nowMs) =>
      retired_at === undefined
        ? [{ type: 'AppRetired', data: { app_id: app.appId, retired_at: nowMs } }]
        : [],
    present: listVerifyingKeys,
  })
  // done again when the request is: an application that is retired signs nothing
  await destroySigningKeys(context, written.value)
  return { ...written, value: undefined }
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

/**
 * Setting the same URL again changes nothing; another one keeps the time of the first. Throws `app_not_found`, and
 * `invalid_request` for a URL that is not to be called.
 */
export async function setMigrationConfig(
  context: AppWriteContext & Pick<SessionsContext, 'privateMigrationHosts'>,
  call: Call<Principal>,
  { app, session_validation_url: url }: MigrationChange,
): Promise<WriteResult<MigrationConfigView>> {
  const message = findMigrationUrlProblem(url, context.privateMigrationHosts)
  if (message !== undefined) throw invalidRequest([{ path: 'session_validation_url', message }])
  return changeApp(context, call, {
    app,
    operation: 'migration_config.set',
    input: url,
    decide: ({ migration }, nowMs) => {
      if (migration?.session_validation_url === url) return []
      const times = { created_at: migration?.created_at ?? nowMs, updated_at: nowMs }
      const data = { app_id: app.appId, session_validation_url: url, ...times }
      return [{ type: 'MigrationConfigSet', data }]
    },
    present: ({ migration }) => {
      if (!migration) throw new Error('a migration configuration was set and is not there')
      return buildMigrationConfigView(migration)
    },
  })
}

/** An unset one is no error. Throws `app_not_found`. */
export async function deleteMigrationConfig(
  context: AppWriteContext,
  call: Call<Principal>,
  app: AppRef,
): Promise<WriteResult<void>> {
  return changeApp(context, call, {
    app,
    operation: 'migration_config.delete',
    decide: ({ migration }) =>
      migration ? [{ type: 'MigrationConfigDeleted', data: { app_id: app.appId } }] : [],
    present: () => undefined,
  })
}
