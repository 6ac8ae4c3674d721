/** Registers applications: an application id is never used again. */

import type { Call, WriteResult } from '../../../domain/call.ts'
import { Failure, notFound } from '../../../domain/failure.ts'
import { closedObject, nameSchema, optional, type TypeOf } from '../../../domain/jsonSchema.ts'
import type { Principal } from '../../../domain/principal.ts'
import { appIdPattern, deriveAppId } from '../../../domain/sessions/appId.ts'
import {
  appSettingsInputSchema,
  defaultAppSettings,
  mergeAppSettings,
} from '../../../domain/sessions/appSettings.ts'
import { accountStream } from '../../../events/accounts/account.ts'
import { type AppEvent, appStream } from '../../../events/sessions/appEvents.ts'
import { findDocuments, type Readers } from '../../../projections/running/documents.ts'
import { appCollection } from '../../../projections/sessions/apps.ts'
import { type AppView, buildAppView } from '../../../state/sessions/views.ts'
import { buildEventContext, executeAndPresent } from '../../handling/executeCommand.ts'
import type { SessionsContext } from '../sessionsContext.ts'
import type { AppWriteContext } from './accountApp.ts'
import { assertSettings } from './configureApp.ts'
import { takeSigningKey } from './signingKeys.ts'

/** How many applications an account may ever register, since their ids stay taken. */
const appsMax = 500

export const appInputSchema = closedObject('AppInput', {
  name: nameSchema,
  app_id: optional({
    type: 'string',
    pattern: appIdPattern,
    description:
      '7 lower-case letters and digits, the first part of its host name; made when it is left out.',
  }),
  settings: optional(appSettingsInputSchema),
})
type AppInput = TypeOf<typeof appInputSchema>

type RegistrationContext = AppWriteContext & Pick<SessionsContext, 'accounts' | 'documents'>

/**
 * Throws `conflict` for an id that is taken by any account, and when the account has too many; `invalid_request` for
 * settings that cannot be met, `not_found` for an account that there is not. Instances that register at once may exceed
 * the limit by a few.
 */
export async function registerApp(
  context: RegistrationContext,
  call: Call<Principal>,
  { account, input }: { readonly account: string; readonly input: AppInput },
): Promise<WriteResult<AppView>> {
  await assertOpen(context, account)
  const settings = mergeAppSettings(defaultAppSettings, input.settings ?? {})
  assertSettings(settings, 'settings.')
  const intention = { account, operation: 'apps.register', input, ownStream: true }
  const eventContext = buildEventContext(context, call, intention)
  // one by one: each waits for the read models, by which the next is counted
  return context.streamQueue.run(`${account} registers`, async () => {
    const appId = input.app_id ?? deriveAppId(eventContext.command)
    return executeAndPresent(context, context.apps, {
      stream: appStream(appId),
      context: eventContext,
      gather: async (state, nowMs) => {
        if (await hasAllApps(context, account)) {
          throw new Failure('conflict', `An account has at most ${appsMax} applications.`)
        }
        // none is taken for a refusal
        return state ? undefined : takeSigningKey(context, appId, nowMs)
      },
      decide: (_, nowMs, keyAdded): readonly AppEvent[] => {
        // the refusal does not tell which account has the id
        if (!keyAdded)
          throw new Failure('conflict', 'This application id is taken; choose another.')
        const { name } = input
        const data = { app_id: appId, account_id: account, name, settings, registered_at: nowMs }
        return [{ type: 'AppRegistered', data }, keyAdded]
      },
      present: (state) => {
        if (!state) throw new Error('an application was registered and is not there')
        return buildAppView(appId, state)
      },
    })
  })
}

/** Throws `not_found` for an account that the operator has not opened. */
async function assertOpen({ accounts }: RegistrationContext, account: string): Promise<void> {
  const stream = accountStream(account)
  if ((await accounts.getFolded(stream)).state.opened) return
  if (!(await accounts.catchUp(stream)).state.opened) throw notFound()
}

/** Whether the account has as many applications as it may, retired ones among them. */
async function hasAllApps(readers: Readers, account: string): Promise<boolean> {
  const question = { where: { account }, sort: ['made'], limit: appsMax } as const
  return (await findDocuments(readers, appCollection, question)).length === appsMax
}
