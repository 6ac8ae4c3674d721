/** Registers applications: an id is given once and never again. */

import type { Call, Written } from '../../../domain/call.ts'
import { Failure, notFound } from '../../../domain/failure.ts'
import type { Principal } from '../../../domain/principal.ts'
import { closedObject, limits, optional, type TypeOf } from '../../../domain/schema.ts'
import { appIdPattern, derivedAppId } from '../../../domain/sessions/appId.ts'
import {
  type AppSettings,
  type AppSettingsInput,
  appSettingsInputSchema,
  usualAppSettings,
  withSettings,
} from '../../../domain/sessions/appSettings.ts'
import { accountStream } from '../../../events/accounts/account.ts'
import type { EventContext } from '../../../events/recording/event.ts'
import { type AppEvent, type AppState, appStream } from '../../../events/sessions/app.ts'
import type { Writing } from '../../handling/context.ts'
import { eventContextOf, write } from '../../handling/write.ts'
import type { SessionsContext } from '../sessionsContext.ts'
import { type AppView, appView } from '../views.ts'
import { assertSettings } from './configureApp.ts'
import { type NewSigningKey, newSigningKey, signingKeyAdded } from './signingKeys.ts'

/** How many applications an account may ever register, since their ids stay taken. */
const appsMax = 500
/** How long a registration waits in all for the read models to show what is in the log. */
const shownMs = 5_000
/** How many ids are made when the ones before are taken: of 78 thousand million, few are. */
const attemptsMax = 5

export const appInputSchema = closedObject('AppInput', {
  name: { type: 'string', minLength: 1, maxLength: limits.name },
  app_id: optional({
    type: 'string',
    pattern: appIdPattern,
    description:
      '7 lower-case letters and digits, the first part of its host name; made when it is left out.',
  }),
  settings: optional(appSettingsInputSchema),
})
type AppInput = TypeOf<typeof appInputSchema>

interface NewApp {
  readonly account: string
  readonly input: AppInput
}

type Registering = Writing & Pick<SessionsContext, 'accounts' | 'apps' | 'reads'>

/**
 * Throws `conflict` for an id that is taken by any account, and when the account has too many; `invalid_request` for settings that
 * cannot be met, `not_found` for an account that there is not, `unavailable` while it is not known how many there are.
 */
export async function registerApp(
  context: Registering,
  call: Call<Principal>,
  { account, input }: NewApp,
): Promise<Written<AppView>> {
  await assertOpen(context, account)
  const intention = { account, operation: 'apps.register', input, ownStream: true }
  const eventContext = eventContextOf(context, call, intention)
  const { app_id: chosen } = input
  if (await wasRegistered(context, eventContext, chosen)) {
    return registerUnder(context, { eventContext, input })
  }
  const untilMs = context.clock.nowMs() + shownMs
  // not one by one: a wait for read models must not delay other registrations
  await assertCountable(context, untilMs)
  // one by one: concurrent registrations on one instance must not exceed the limit together
  return context.oneByOne.run(`${eventContext.account} registers`, async () => {
    await assertCountable(context, untilMs)
    if (await context.reads.hasApps({ account, count: appsMax })) {
      throw new Failure('conflict', `An account has at most ${appsMax} applications.`)
    }
    return registerUnder(context, { eventContext, input })
  })
}

/** Waits until the read models show what was registered before. Throws `unavailable` when they do not by then. */
async function assertCountable(
  { events, projections, clock }: Registering,
  untilMs: number,
): Promise<void> {
  // a clock that was set back lets nobody wait for longer
  const leftMs = Math.min(shownMs, Math.max(0, untilMs - clock.nowMs()))
  if (await projections.waitFor(await events.head(), leftMs)) return
  const message = 'It is not known yet how many applications the account has; try again.'
  throw new Failure('unavailable', message, { retryAfterSeconds: 1 })
}

function registerUnder(
  context: Registering,
  one: Omit<Registration, 'appId'>,
): Promise<Written<AppView>> {
  const { eventContext, input } = one
  if (input.app_id !== undefined) return register(context, { ...one, appId: input.app_id })
  return underFreeId(eventContext.command, (appId) => register(context, { appId, ...one }))
}

/** Whether an earlier call with the same `Idempotency-Key` has registered one: it is answered as it was, however many there are by now. */
async function wasRegistered(
  { apps }: Registering,
  eventContext: EventContext,
  chosen: string | undefined,
): Promise<boolean> {
  const ids = chosen === undefined ? idsTried(eventContext.command) : [chosen]
  const found = await Promise.all(
    ids.map(async (id) => {
      const stream = appStream(id)
      return apps.repeated(stream, await apps.catchUp(stream), eventContext)
    }),
  )
  return found.some((done) => done !== undefined)
}

function idsTried(command: string): readonly string[] {
  return Array.from({ length: attemptsMax + 1 }, (_, attempt) => derivedAppId(command, attempt))
}

/** Tries one id after another until one is not taken. */
async function underFreeId<Value>(
  command: string,
  work: (appId: string) => Promise<Value>,
): Promise<Value> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work(derivedAppId(command, attempt))
    } catch (error) {
      const isTaken = error instanceof Failure && error.code === 'conflict'
      if (!isTaken || attempt >= attemptsMax) throw error
    }
  }
}

interface Registration {
  readonly appId: string
  readonly eventContext: EventContext
  readonly input: AppInput
}

async function register(
  context: Registering,
  { appId, eventContext, input: { name, settings = {} } }: Registration,
): Promise<Written<AppView>> {
  const { account, time } = eventContext
  const stream = appStream(appId)
  const written = await write(context, context.apps, {
    stream,
    context: eventContext,
    decide: decideRegistration(
      { appId, account, name, settings, key: newSigningKey(context) },
      time,
    ),
  })
  const { state, repeated, position } = written.value
  const then = repeated ? await context.apps.stateAt(stream, position) : state
  if (!then) throw new Error('a registration has left no application')
  return { ...written, value: appView(appId, then) }
}

/** Throws `not_found` for an account that the operator has not opened. */
async function assertOpen({ accounts }: Registering, account: string): Promise<void> {
  const stream = accountStream(account)
  if ((await accounts.folded(stream)).state.opened) return
  if (!(await accounts.catchUp(stream)).state.opened) throw notFound()
}

interface RegisteredApp {
  readonly appId: string
  readonly account: string
  readonly name: string
  /** What is left out is as usual. */
  readonly settings: AppSettingsInput
  /** The first one that signs. */
  readonly key: NewSigningKey
}

/** The refusal does not tell which account has the id. */
function decideRegistration(
  { appId, account, name, settings: input, key }: RegisteredApp,
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
